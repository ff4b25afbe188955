// Every event type there is, in one list: codec, state and projections dispatch over it.
#pragma once

#include <variant>
#include <vector>

#include "domain/api_key/events.hpp"
#include "domain/audit/events.hpp"
#include "domain/batch/events.hpp"
#include "domain/comment/events.hpp"
#include "domain/dataset/events.hpp"
#include "domain/group/events.hpp"
#include "domain/invitation/events.hpp"
#include "domain/job/events.hpp"
#include "domain/naming/events.hpp"
#include "domain/notification/events.hpp"
#include "domain/project/events.hpp"
#include "domain/session/events.hpp"
#include "domain/task/events.hpp"
#include "domain/user/events.hpp"
#include "domain/webhook/events.hpp"

namespace annolog {

using AnyEvent = std::variant<
    UserCreated, UserSignedIn, UserRenamed, UserRoleChanged, UserDeactivated, UserActivated,
    UserGroupChanged, UserPreferencesChanged, UserPasswordChanged, UserSignedOutEverywhere,
    UserOidcLinked, UserOidcUnlinked, UserListExported, UserErased, SessionOpened, SessionRefreshed,
    SessionEnded, ApiKeyCreated, ApiKeyRevoked, ApiKeyUsed, GroupCreated, GroupUpdated,
    GroupDeleted, InvitationCreated, InvitationResent, InvitationRevoked, InvitationAccepted,
    NameReserved, NameConfirmed, NameReleased, ProjectCreated, ProjectUpdated,
    ProjectClassesReplaced, ProjectClassRenamed, ProjectMemberAdded, ProjectMemberRoleChanged,
    ProjectMemberRemoved, ProjectExported, DatasetCreated, ItemUploadStarted, ItemReady,
    ItemsRegistered, DatasetLinked, DatasetLinkAdvanced, TasksCreated, TaskTaken, TaskLocked,
    TaskLockRenewed, TaskUnlocked, TaskLockExpired, TaskAnnotationsAdded, AnnotationUpdated,
    AnnotationDeleted, TaskSubmitted, TaskSentToReview, TaskApproved, TaskRejected,
    TaskRejectionAccepted, TaskReopened, TaskSkipped, BatchCreated, BatchRenamed, BatchAssigned,
    BatchTasksAdded, BatchTasksRemoved, BatchMoved, BatchReset, BatchDeleted, BatchesChanged,
    NameFreed, ProjectTransferred, ProjectDeleted, ProjectRemovalFinished, GuideAssetUploadStarted,
    GuideAssetReady, GuideAssetDeleted, DatasetUnlinked, AnnotationRestored, CommentAdded,
    CommentDeleted, DatasetUpdated, DatasetDeleted, DatasetEmptied, ItemDeleted, ItemsRemoved,
    ItemMeasured, DatasetSizesPassedOn, ItemThumbnailMade, ItemThumbnailFailed, TaskMeasured,
    ProjectDatasetUnlinked, TasksRemoved, ProjectUnlinkFinished, DatasetBackfillStarted,
    DatasetBackfillAdvanced, DatasetBackfillEnded, RequestRecorded, NotificationRead,
    NotificationsAllRead, JobQueued, JobClaimed, JobAdvanced, JobCompleted, JobFailed, JobCancelled,
    JobPurged, WebhookCreated, WebhookUpdated, WebhookSecretRotated, WebhookDisabled,
    WebhookDeleted, WebhookTested, WebhookReplayRequested>;

// Copied, moved and destroyed in events.cpp alone: so many kinds take a compiler long.
struct Event : AnyEvent {
  using AnyEvent::AnyEvent;
  Event();
  Event(const Event&);
  Event(Event&&) noexcept;
  Event& operator=(const Event&);
  Event& operator=(Event&&) noexcept;
  ~Event();
};
using Events = std::vector<Event>;

}  // namespace annolog
