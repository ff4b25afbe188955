#include "api/views/history.hpp"

#include <string_view>
#include <utility>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::api {

// What may change of a task, as TaskView shows it.
struct TaskFields {
  TaskStatus status = TaskStatus::pending;
  std::optional<BatchId> batch_id;
  std::optional<UserId> assignee_id;
  std::optional<UserId> reviewer_id;
  std::optional<LockView> lock;
  std::optional<RejectReason> reject_reason_type;
  std::optional<std::string> reject_reason;
  std::optional<Timestamp> submitted_at;
  std::optional<Timestamp> reviewed_at;
  std::optional<Timestamp> skipped_at;
  std::int64_t reopened_count = 0;
  std::int64_t annotation_count = 0;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
};
BOOST_DESCRIBE_STRUCT(TaskFields, (),
                      (status, batch_id, assignee_id, reviewer_id, lock, reject_reason_type,
                       reject_reason, submitted_at, reviewed_at, skipped_at, reopened_count,
                       annotation_count, image_width, image_height))

namespace {

TaskFields fields_of(const TaskState& task, Timestamp at) {
  TaskFields fields;
  fields.status = task.status;
  fields.batch_id = task.batch_id;
  fields.assignee_id = task.assignee_id;
  fields.reviewer_id = task.reviewer_id;
  if (const auto* lock = task.live_lock(at))
    fields.lock = LockView{lock->user_id, lock->expires_at};
  fields.reject_reason_type = task.reject_reason_type;
  fields.reject_reason = task.reject_reason;
  fields.submitted_at = task.submitted_at;
  fields.reviewed_at = task.reviewed_at;
  fields.skipped_at = task.skipped_at;
  fields.reopened_count = task.reopened_count;
  fields.annotation_count = task.annotation_count;
  fields.image_width = task.image_width;
  fields.image_height = task.image_height;
  return fields;
}

using Changes = std::map<std::string, FieldChange>;

Changes changes_of(const TaskFields& before, const TaskFields& after) {
  Changes changes;
  boost::mp11::mp_for_each<codec::MembersOf<TaskFields>>([&](auto d) {
    const auto& was = before.*d.pointer;
    const auto& is = after.*d.pointer;
    if (was == is) return;
    changes[std::string(codec::member_name(d.name))] = {{codec::to_json_text(was)},
                                                        {codec::to_json_text(is)}};
  });
  return changes;
}

JsonText one_side(const Changes& changes, JsonText FieldChange::* side) {
  std::map<std::string, JsonText> members;
  for (const auto& [name, change] : changes) members[name] = change.*side;
  return {codec::to_json_text(members)};
}

struct Sides {
  JsonText before;
  JsonText after;
};

JsonText annotation_json(const std::optional<AnnotationState>& annotation,
                         const ClassNamesThen& classes) {
  if (!annotation) return {};
  return {codec::to_json_text(annotation_view(*annotation, classes.names, classes.until))};
}

// Of a task only what changed, and all of it at its birth.
Sides sides_of(const HistoryEntry& entry, const ClassNamesThen& classes) {
  if (entry.annotation_id) {
    return {annotation_json(entry.annotation_before, classes),
            annotation_json(entry.annotation_after, classes)};
  }
  const TaskFields after = fields_of(*entry.task_after, entry.how.at);
  if (!entry.task_before) return {{}, {codec::to_json_text(after)}};
  const Changes changes = changes_of(fields_of(*entry.task_before, entry.how.at), after);
  return {one_side(changes, &FieldChange::before), one_side(changes, &FieldChange::after)};
}

std::optional<UserBrief> actor_of(const HistoryEntry& entry) {
  if (entry.how.actor == kSystemUser) return std::nullopt;
  return UserBrief{entry.how.actor, "", ""};
}

std::vector<std::string> changed_fields(const AnnotationState& a, const AnnotationState& b) {
  std::vector<std::string> fields;
  if (a.class_id != b.class_id) {
    fields.emplace_back("class_id");
    fields.emplace_back("class_name");
  }
  if (!(a.geometry == b.geometry)) fields.emplace_back("geometry");
  if (!(a.attributes == b.attributes)) fields.emplace_back("attributes");
  if (a.confidence != b.confidence) fields.emplace_back("confidence");
  if (a.group_id != b.group_id) fields.emplace_back("group_id");
  return fields;
}

}  // namespace

TaskHistoryItem history_item(const HistoryEntry& entry, std::int64_t seq,
                             const ClassNamesThen& classes) {
  Sides sides = sides_of(entry, classes);
  return {.seq = seq,
          .at = entry.how.at,
          .actor = actor_of(entry),
          .type = std::string(entry.type),
          .annotation_id = entry.annotation_id,
          .version = entry.version,
          .before = std::move(sides.before),
          .after = std::move(sides.after),
          .reason = entry.reason};
}

AnnotationHistoryItem annotation_history_item(const HistoryEntry& entry,
                                              const ClassNamesThen& classes) {
  Sides sides = sides_of(entry, classes);
  return {.kind = HistoryKind::task_event,
          .at = entry.how.at,
          .actor = actor_of(entry),
          .type = std::string(entry.type),
          .version = entry.version,
          .before = std::move(sides.before),
          .after = std::move(sides.after),
          .reason = entry.reason,
          .comment = std::nullopt,
          .status_code = std::nullopt};
}

AnnotationHistoryItem annotation_history_item(const CommentView& comment) {
  return {.kind = HistoryKind::comment,
          .at = comment.created_at,
          .actor = comment.author,
          .type = std::string(CommentAdded::kType),
          .version = std::nullopt,
          .before = {},
          .after = {},
          .reason = std::nullopt,
          .comment = comment,
          .status_code = std::nullopt};
}

AnnotationHistoryItem annotation_history_item(const RequestRecorded& request) {
  std::optional<UserBrief> actor;
  if (request.actor_id) actor = UserBrief{*request.actor_id, "", ""};
  return {.kind = HistoryKind::audit,
          .at = request.at,
          .actor = std::move(actor),
          .type = request.action,
          .version = std::nullopt,
          .before = {},
          .after = {},
          .reason = request.detail.reason,
          .comment = std::nullopt,
          .status_code = request.status};
}

TaskDifference difference_view(const PastTask& from, const PastTask& to) {
  TaskDifference view;
  view.from.version = from.past.task.version;
  view.to.version = to.past.task.version;
  view.task = changes_of(fields_of(from.past.task, from.at), fields_of(to.past.task, to.at));
  const Difference found = difference(from.past, to.past);
  for (const auto& added : found.added) view.annotations.added.push_back(to.view(added));
  for (const auto& removed : found.removed) view.annotations.removed.push_back(from.view(removed));
  for (const auto& change : found.changed) {
    view.annotations.changed.push_back({change.before.id,
                                        changed_fields(change.before, change.after),
                                        from.view(change.before), to.view(change.after)});
  }
  return view;
}

}  // namespace annolog::api
