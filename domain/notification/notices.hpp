// What one event gives people to know: a notice for each, at most one a person, none for who did
// it. A fold of the event alone, so that the same log gives the same notices for ever. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/notification/types.hpp"

namespace annolog {

struct Notice {
  UserId user_id;
  NotificationType type = NotificationType::task_assigned;
  std::int64_t target_id = 0;
  std::optional<ProjectId> project_id;  // none: it belongs to no project
  std::optional<TaskId> task_id;
  std::optional<BatchId> batch_id;
  std::optional<RejectReason> reason_type;
  std::optional<std::string> reason;
  bool operator==(const Notice&) const = default;
};

std::vector<Notice> notices_of(const Event& event, const Happened& how);

// Whether events of the type may give any.
bool may_be_noticed(std::string_view event_type);

}  // namespace annolog
