// Tasks, locks, annotations and reviews.
#include "commands/handlers/handlers.hpp"
#include "commands/state/fold.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/project/unlinking.hpp"

namespace annolog::commands {
namespace {

class StateAnnotationIds final : public AnnotationIds {
 public:
  explicit StateAnnotationIds(ShardState& state)
      : state_(state), sequence_(state.counter("annotation")) {}
  AnnotationId next() override { return AnnotationId{state_.id_of(++sequence_)}; }

 private:
  ShardState& state_;
  std::int64_t sequence_;
};

// What the work does to the task's batch joins the work.
Result<Events> with_batch_steps(const TaskCase& on, Result<Events> events) {
  if (events && on.batch) follow_work(*on.batch, on.task, events.value());
  return events;
}

Handled task_reply(Events events, TaskId task) {
  return {std::move(events), {ReplyKind::task, {task.value}, {}}};
}

template <class C>
Result<Handled> decide_task(const Handling& on, const C& command) {
  const LoadedCase loaded = load_case(on, command.task_id);
  BOOST_OUTCOME_TRY(auto events,
                    with_batch_steps(loaded.on, decide(loaded.on, command, on.context)));
  return task_reply(std::move(events), command.task_id);
}

template <class C>
Result<Handled> decide_annotation(const Handling& on, const C& command, ReplyRef reply) {
  const LoadedCase loaded = load_case(on, command.task_id);
  const auto annotation = on.state.annotation(command.task_id, command.annotation_id);
  BOOST_OUTCOME_TRY(
      auto events, with_batch_steps(loaded.on, decide(loaded.on, annotation, command, on.context)));
  return Handled{std::move(events), std::move(reply)};
}

}  // namespace

LoadedCase load_case(const Handling& on, TaskId id) {
  TaskState task = on.state.task(id);
  auto project = on.state.project(task.project_id);
  TaskCase loaded{*project, std::move(task), on.options.lock_ms, std::nullopt};
  if (const auto& batch = loaded.task.batch_id) {
    loaded.batch = TaskBatch{*on.state.batch(*batch), on.state.progress(*batch)};
  }
  return {std::move(project), std::move(loaded)};
}

Result<Handled> handle(const Handling& on, const CreateTasks& command) {
  TasksCreated created{command.project_id, command.dataset_id, {}};
  const auto project = on.state.project(command.project_id);
  if (project->version == 0) return Handled{};  // deleted meanwhile: the link runner is told so
  const auto unlinking = on.state.unlinking(command.project_id, command.dataset_id);
  if (unlinking && unlinking->ends(command.link))
    return Handled{{}, {ReplyKind::tasks_made, {0, 0}, {}}};
  if (is_under_way(unlinking)) return unlink_under_way();  // it may remove more yet
  std::int64_t sequence = on.state.counter("task");
  std::int64_t number = on.state.count(Key(Table::task_number).id(command.project_id));
  std::vector<ItemId> items;
  for (const auto& item : command.items) items.push_back(item.item_id);
  const auto with_task = on.state.items_with_task(command.project_id, command.dataset_id, items);
  auto next_with_task = with_task.begin();
  std::int64_t existing = 0;
  for (const auto& item : command.items) {
    if (next_with_task != with_task.end() && *next_with_task == item.item_id) {
      ++next_with_task;
      ++existing;
      continue;
    }
    created.tasks.push_back({TaskId{on.state.id_of(++sequence)}, ++number, item.item_id,
                             item.file_name, item.file_path, item.width, item.height});
  }
  const auto count = static_cast<std::int64_t>(created.tasks.size());
  Handled handled{{}, {ReplyKind::tasks_made, {count, existing}, {}}};
  if (count > 0) handled.events.emplace_back(std::move(created));
  return handled;
}

// Tasks that were removed meanwhile, or know their size, are passed over: a step that may be
// repeated.
Result<Handled> handle(const Handling& on, const MeasureTasks& command) {
  Handled handled{{}, {}};
  for (const ItemSize& size : command.sizes) {
    const auto id =
        on.state.number(task_of_item_key(command.project_id, command.dataset_id, size.item_id));
    if (!id) continue;
    const TaskState task = on.state.task(TaskId{*id});
    if (task.version == 0 || (task.image_width && task.image_height)) continue;
    handled.events.emplace_back(TaskMeasured{command.project_id, task.id, size.width, size.height});
  }
  return handled;
}

Result<Handled> handle(const Handling& on, const LockTask& command) {
  const LoadedCase loaded = load_case(on, command.task_id);
  BOOST_OUTCOME_TRY(auto events,
                    with_batch_steps(loaded.on, decide(loaded.on, command, on.context)));
  // Whole, as the lock may be gone when a retry asks again.
  const auto now = on.context.now;
  const auto since = held_since(on.state, loaded.on.task, now).value_or(now);
  return Handled{
      std::move(events),
      {ReplyKind::lock,
       {command.task_id.value, on.context.actor.value, since.ms, (now + on.options.lock_ms).ms},
       {}}};
}

Result<Handled> handle(const Handling& on, const UnlockTask& command) {
  BOOST_OUTCOME_TRY(auto handled, decide_task(on, command));
  handled.reply = {};
  return handled;
}

Result<Handled> handle(const Handling& on, const AddAnnotations& command) {
  const LoadedCase loaded = load_case(on, command.task_id);
  StateAnnotationIds ids(on.state);
  BOOST_OUTCOME_TRY(auto events,
                    with_batch_steps(loaded.on, decide(loaded.on, command, on.context, ids)));
  ReplyRef reply{ReplyKind::annotations, {command.task_id.value}, {}};
  for (const auto& event : events) {
    const auto* added = std::get_if<TaskAnnotationsAdded>(&event);
    if (added == nullptr) continue;
    for (const auto& a : added->annotations) reply.ids.push_back(a.annotation_id.value);
  }
  return Handled{std::move(events), std::move(reply)};
}

Result<Handled> handle(const Handling& on, const ImportAnnotations& command) {
  const LoadedCase loaded = load_case(on, command.task_id);
  StateAnnotationIds ids(on.state);
  BOOST_OUTCOME_TRY(auto decision, decide(loaded.on, on.state.annotations_of(command.task_id),
                                          command, on.context, ids));
  BOOST_OUTCOME_TRY(auto events, with_batch_steps(loaded.on, std::move(decision.events)));
  return Handled{std::move(events),
                 {ReplyKind::annotations_imported, {}, codec::to_json_text(decision.outcome)}};
}

Result<Handled> handle(const Handling& on, const UpdateAnnotation& command) {
  return decide_annotation(
      on, command,
      {ReplyKind::annotation, {command.task_id.value, command.annotation_id.value}, {}});
}

Result<Handled> handle(const Handling& on, const DeleteAnnotation& command) {
  return decide_annotation(on, command, {});
}

Result<Handled> handle(const Handling& on, const SkipTask& command) {
  return decide_task(on, command);
}

Result<Handled> handle(const Handling& on, const RestoreAnnotation& command) {
  return decide_annotation(
      on, command,
      {ReplyKind::annotation, {command.task_id.value, command.annotation_id.value}, {}});
}

Result<Handled> handle(const Handling& on, const SubmitForReview& command) {
  return decide_task(on, command);
}

Result<Handled> handle(const Handling& on, const ApproveTask& command) {
  return decide_task(on, command);
}

Result<Handled> handle(const Handling& on, const RejectTask& command) {
  return decide_task(on, command);
}

Result<Handled> handle(const Handling& on, const AcceptRejection& command) {
  return decide_task(on, command);
}

Result<Handled> handle(const Handling& on, const ReopenTask& command) {
  return decide_task(on, command);
}

}  // namespace annolog::commands
