#include "domain/notification/notices.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <variant>

namespace annolog {
namespace {

// Who a rule of the table may mean.
struct People {
  std::optional<UserId> assignee{};
  std::optional<UserId> submitter{};
  std::optional<UserId> earlier_reviewer{};
  std::optional<UserId> annotator{};
  std::optional<UserId> reviewer{};
  std::optional<UserId> creator{};
  std::vector<UserId> mentioned{};
};

// One event's notices in the making.
class Notices {
 public:
  explicit Notices(UserId actor) : actor_(actor) {}

  void tell(NotificationType type, const People& people, const Notice& what) {
    const NotificationKind& kind = kind_of(type);
    const auto to = [&](Recipient who, const std::optional<UserId>& user) {
      if (user && includes(kind.to, who)) add(*user, type, what);
    };
    to(Recipient::assignee, people.assignee);
    to(Recipient::submitter, people.submitter);
    to(Recipient::earlier_reviewer, people.earlier_reviewer);
    to(Recipient::annotator, people.annotator);
    to(Recipient::reviewer, people.reviewer);
    to(Recipient::creator, people.creator);
    for (const UserId user : people.mentioned) to(Recipient::mentioned, user);
  }

  std::vector<Notice> take() && { return std::move(all_); }

 private:
  void add(UserId user, NotificationType type, Notice what) {
    const bool told = std::ranges::find(all_, user, &Notice::user_id) != all_.end();
    if (user == actor_ || told) return;
    what.user_id = user;
    what.type = type;
    all_.push_back(std::move(what));
  }

  UserId actor_;
  std::vector<Notice> all_;
};

Notice about_task(ProjectId project, TaskId task) {
  Notice notice;
  notice.target_id = task.value;
  notice.project_id = project;
  notice.task_id = task;
  return notice;
}

Notice about_batch(ProjectId project, BatchId batch) {
  Notice notice;
  notice.target_id = batch.value;
  notice.project_id = project;
  notice.batch_id = batch;
  return notice;
}

// Steps of a batch that people are told of.
struct StepRule {
  BatchStatus from;
  BatchStatus to;
  NotificationType type;
};
constexpr std::array kStepRules = [] {
  using enum BatchStatus;
  using Type = NotificationType;
  return std::to_array<StepRule>({
      {reviewing, rejected, Type::batch_rejected},
      {archived, active, Type::batch_unarchived},
      {approved, reviewing, Type::batch_review_reopened},
      {rejected, reviewing, Type::batch_review_reopened},
  });
}();

// The batch with all its tasks, however many: those join it by events that nobody is told of.
void notice(const BatchCreated& e, Notices& out) {
  out.tell(NotificationType::task_assigned,
           {.annotator = e.annotator_id, .reviewer = e.reviewer_id},
           about_batch(e.project_id, e.batch_id));
}

void notice(const BatchAssigned& e, Notices& out) {
  People people;
  if (e.annotator_changed) people.annotator = e.annotator_id;
  if (e.reviewer_changed) people.reviewer = e.reviewer_id;
  out.tell(NotificationType::task_assigned, people, about_batch(e.project_id, e.batch_id));
}

void notice(const BatchMoved& e, Notices& out) {
  const auto* const rule = std::ranges::find_if(
      kStepRules, [&](const StepRule& known) { return known.from == e.from && known.to == e.to; });
  if (rule == kStepRules.end()) return;
  Notice what = about_batch(e.project_id, e.batch_id);
  what.reason = e.to == BatchStatus::rejected ? e.review_feedback : e.reason;
  out.tell(rule->type, {.annotator = e.annotator_id, .reviewer = e.reviewer_id}, what);
}

void notice(const TaskRejected& e, Notices& out) {
  Notice what = about_task(e.project_id, e.task_id);
  what.reason_type = e.reason_type;
  what.reason = e.reason;
  const People people{.assignee = e.assignee_id, .submitter = e.submitted_by};
  out.tell(NotificationType::task_rejected, people, what);
  out.tell(NotificationType::task_review_rejected, people, what);
}

void notice(const TaskApproved& e, Notices& out) {
  out.tell(NotificationType::task_approved, {.assignee = e.assignee_id},
           about_task(e.project_id, e.task_id));
}

void notice(const TaskReopened& e, Notices& out) {
  out.tell(NotificationType::task_reopened, {.earlier_reviewer = e.previous_reviewer_id},
           about_task(e.project_id, e.task_id));
}

void notice(const CommentAdded& e, Notices& out) {
  Notice what = about_task(e.project_id, e.task_id);
  what.target_id = e.comment_id.value;
  out.tell(NotificationType::comment_mention, {.mentioned = e.mentions}, what);
}

void notice(const WebhookDisabled& e, Notices& out) {
  Notice what;
  what.target_id = e.webhook_id.value;
  what.project_id = e.project_id;
  what.reason = e.reason == WebhookDisabledReason::gone ? "gone" : "failing";
  out.tell(NotificationType::webhook_disabled, {.creator = e.created_by}, what);
}

template <class... Es>
bool is_noticed(std::string_view type, const std::variant<Es...>*) {
  return ((Es::kType == type && requires(const Es& e, Notices& out) { notice(e, out); }) || ...);
}

}  // namespace

bool may_be_noticed(std::string_view event_type) {
  return is_noticed(event_type, static_cast<const Event*>(nullptr));
}

std::vector<Notice> notices_of(const Event& event, const Happened& how) {
  Notices notices(how.actor);
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { notice(e, notices); }) notice(e, notices);
      },
      event);
  return std::move(notices).take();
}

}  // namespace annolog
