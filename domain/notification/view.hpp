// How a notification is shown, over REST and as a frame (spec, "Messages"; decisions, section 8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"
#include "domain/task/events.hpp"

namespace annolog {

// An empty name: the person was erased.
struct NotificationActor {
  UserId id;
  std::string name;
  bool operator==(const NotificationActor&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotificationActor, (), (id, name))

// All members are there in every type; null where they say nothing.
struct NotificationPayload {
  std::optional<ProjectId> project_id;
  std::optional<TaskId> task_id;
  std::optional<BatchId> batch_id;
  std::optional<std::string> display_id;    // of the task, else of the batch; null: it is gone
  std::optional<NotificationActor> actor;   // null: the service itself
  std::optional<RejectReason> reason_type;  // of a rejected task
  std::optional<std::string> reason;        // of a rejection, or of a reverse move
  bool operator==(const NotificationPayload&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotificationPayload, (),
                      (project_id, task_id, batch_id, display_id, actor, reason_type, reason))

struct NotificationView {
  NotificationId id;
  std::string type;  // one of kNotificationKinds
  std::string target_type;
  std::int64_t target_id = 0;
  NotificationPayload payload;
  Timestamp created_at;
  std::optional<Timestamp> read_at;
  bool operator==(const NotificationView&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotificationView, (),
                      (id, type, target_type, target_id, payload, created_at, read_at))

}  // namespace annolog
