// What people are told of, what it is about and who is told: the table of notifications (spec,
// "Notification, async job, audit log", "Which operation emits what"). Clients meet an open
// enumeration: a type that is added here is one more row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/describe/enum.hpp>

namespace annolog {

enum class NotificationType : std::uint8_t {
  task_assigned,
  task_rejected,
  task_review_rejected,
  task_approved,
  task_reopened,
  comment_mention,
  batch_rejected,
  batch_unarchived,
  batch_review_reopened,
  ai_preannotate_done,
  webhook_disabled,
};

// What `target_id` names.
enum class NotificationTarget : std::uint8_t { task, batch, comment, prediction_job, webhook };
BOOST_DESCRIBE_ENUM(NotificationTarget, task, batch, comment, prediction_job, webhook)

// Whom a type is for; never who did the deed.
enum class Recipient : std::uint8_t {
  assignee = 1,          // of the task
  submitter = 2,         // of the work under review
  earlier_reviewer = 4,  // who had approved it
  annotator = 8,         // the batch's own
  reviewer = 16,         // the batch's own
  mentioned = 32,        // by the comment
  requester = 64,        // of the job
  creator = 128,         // of the webhook
};

constexpr Recipient operator|(Recipient a, Recipient b) {
  return static_cast<Recipient>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool includes(Recipient set, Recipient one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

struct NotificationKind {
  NotificationType type;
  std::string_view name;
  NotificationTarget about;
  Recipient to;
};

// In this order: of two types that one event has for a person, the first is told.
inline constexpr std::array kNotificationKinds = [] {
  using enum NotificationType;
  using About = NotificationTarget;
  using To = Recipient;
  return std::to_array<NotificationKind>({
      {task_assigned, "task.assigned", About::batch, To::annotator | To::reviewer},
      {task_rejected, "task.rejected", About::task, To::assignee},
      {task_review_rejected, "task.review_rejected", About::task, To::submitter},
      {task_approved, "task.approved", About::task, To::assignee},
      {task_reopened, "task.reopened", About::task, To::earlier_reviewer},
      {comment_mention, "comment.mention", About::comment, To::mentioned},
      {batch_rejected, "batch.rejected", About::batch, To::annotator},
      {batch_unarchived, "batch.unarchived", About::batch, To::annotator | To::reviewer},
      {batch_review_reopened, "batch.review_reopened", About::batch, To::reviewer},
      {ai_preannotate_done, "ai.preannotate_done", About::prediction_job, To::requester},
      {webhook_disabled, "webhook.disabled", About::webhook, To::creator},
  });
}();

constexpr const NotificationKind& kind_of(NotificationType type) {
  for (const auto& kind : kNotificationKinds)
    if (kind.type == type) return kind;
  return kNotificationKinds.front();  // not reached: every type has its row (notification_test)
}

constexpr std::optional<NotificationType> notification_type_from(std::string_view name) {
  for (const auto& kind : kNotificationKinds)
    if (kind.name == name) return kind.type;
  return std::nullopt;
}

}  // namespace annolog
