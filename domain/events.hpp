// Every event type there is, in one list: codec, state and projections dispatch over it.
#pragma once

#include <variant>

#include "domain/dataset/events.hpp"
#include "domain/identity/events.hpp"
#include "domain/naming/events.hpp"
#include "domain/project/events.hpp"
#include "domain/task/events.hpp"

namespace annolog {

using Event =
    std::variant<UserCreated, UserSignedIn, NameReserved, NameConfirmed, NameReleased,
                 ProjectCreated, ProjectUpdated, ProjectClassesReplaced, ProjectClassRenamed,
                 ProjectMemberAdded, ProjectMemberRoleChanged, ProjectMemberRemoved,
                 ProjectExported, DatasetCreated, ItemUploadStarted, ItemReady, ItemsRegistered,
                 DatasetLinked, DatasetLinkAdvanced, TasksCreated, TaskTaken, TaskLocked,
                 TaskLockRenewed, TaskUnlocked, TaskAnnotationsAdded, AnnotationUpdated,
                 AnnotationDeleted, TaskSubmitted, TaskSentToReview, TaskApproved, TaskRejected,
                 TaskRejectionAccepted, TaskReopened>;

}  // namespace annolog
