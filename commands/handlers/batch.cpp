// Batches: one, and many in one append.
#include "commands/handlers/handlers.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::commands {
namespace {

// A batch and its project, kept alive for the decision.
struct LoadedBatch {
  std::shared_ptr<const ProjectState> project;
  BatchCase on;
};

LoadedBatch load(const Handling& on, ProjectId id, const BatchRef& ref) {
  auto project = on.state.project(id);
  const auto batch = on.state.batch(id, ref);
  BatchCase loaded{*project, *batch, on.state.progress(batch->id)};
  return {std::move(project), std::move(loaded)};
}

Handled batch_reply(Events events, BatchId batch) {
  return {std::move(events), {ReplyKind::batch, {batch.value}, {}}};
}

template <class C, class... More>
Result<Handled> decide_batch(const Handling& on, const C& command, const More&... more) {
  const LoadedBatch loaded = load(on, command.project_id, command.batch);
  BOOST_OUTCOME_TRY(auto events, decide(loaded.on, command, more..., on.context));
  return batch_reply(std::move(events), loaded.on.batch.id);
}

std::vector<JoiningTask> named_tasks(const Handling& on, ProjectId project,
                                     const std::vector<TaskId>& ids) {
  std::vector<JoiningTask> tasks;
  if (ids.size() > static_cast<std::size_t>(kMaxBatchTasks)) return tasks;  // will be refused
  tasks.reserve(ids.size());
  for (const auto id : ids) {
    const TaskState task = on.state.task(id);
    const bool here = task.version != 0 && task.project_id == project;
    tasks.push_back({id, here ? task.version : 0, task.batch_id});
  }
  return tasks;
}

// Those that the command names, or the oldest unclassified ones.
template <class C>
std::vector<JoiningTask> joining_tasks(const Handling& on, const C& command) {
  if (command.task_ids) return named_tasks(on, command.project_id, *command.task_ids);
  // One more than fits tells that not all of the dataset do.
  const auto all = command.of_dataset ? kMaxBatchTasks + 1 : 0;
  const auto count = command.task_count.value_or(all);
  if (count < 1 || count > kMaxBatchTasks + 1) return {};
  std::vector<JoiningTask> tasks;
  for (const auto id : on.state.oldest_unclassified(command.project_id, command.of_dataset,
                                                    static_cast<std::size_t>(count))) {
    tasks.push_back({id, 1, std::nullopt});
  }
  return tasks;
}

// A dataset that has no tasks here at all is named by mistake; one whose tasks are all in batches
// isn't.
template <class C>
Result<void> require_dataset(const Handling& on, const C& command,
                             const std::vector<JoiningTask>& tasks) {
  if (command.task_ids || !command.of_dataset || !tasks.empty()) return success();
  bool any = false;
  const Key of_dataset = Key(Table::task_of_item).id(command.project_id).id(*command.of_dataset);
  on.state.store().scan(of_dataset.bytes(), {}, [&](std::string_view, std::string_view) {
    any = true;
    return false;
  });
  if (any) return success();
  return validation_error(
      {{{"dataset_id"}, "The project has no tasks of this dataset.", "unknown_dataset"}});
}

std::vector<BulkSubject> load_all(const Handling& on, ProjectId project,
                                  const std::vector<BatchRef>& refs) {
  std::vector<BulkSubject> subjects;
  if (refs.size() > kMaxBulkBatches) return subjects;  // will be refused
  for (const auto& ref : refs) {
    const auto batch = on.state.batch(project, ref);
    subjects.push_back({ref, *batch, on.state.progress(batch->id)});
  }
  return subjects;
}

BatchesAction action_of(const ChangeBatches& command) {
  switch (command.action) {
    case BulkAction::archive: return BatchesAction::archived;
    case BulkAction::remove: return BatchesAction::deleted;
    case BulkAction::activate: break;
  }
  return BatchesAction::activated;
}
BatchesAction action_of(const ReassignBatches&) { return BatchesAction::reassigned; }

// What a call came to is recorded also when it changed nothing: a retry gets the same answer.
template <class Named>
std::vector<BatchId> ids_of(const Handling& on, ProjectId project, const Named& named) {
  std::vector<BatchId> ids;
  for (const auto& entry : named) {
    const auto batch = on.state.batch(project, entry.batch_id);
    if (batch->version != 0) ids.push_back(batch->id);
  }
  return ids;
}

template <class C>
Result<Handled> decide_many(const Handling& on, const C& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(
      auto decision,
      decide(*project, command, load_all(on, command.project_id, command.batches), on.context));
  const auto& outcome = decision.outcome;
  decision.events.emplace_back(BatchesChanged{command.project_id, action_of(command),
                                              outcome.succeeded,
                                              ids_of(on, command.project_id, outcome.skipped),
                                              ids_of(on, command.project_id, outcome.failed)});
  return Handled{std::move(decision.events),
                 {ReplyKind::bulk, {}, codec::to_json_text(decision.outcome)}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const CreateBatch& command) {
  const LoadedBatch loaded = load(on, command.project_id, {});
  const BatchId id{on.state.id_of(on.state.counter("batch") + 1)};
  const auto number = on.state.count(Key(Table::last_batch_number).id(command.project_id)) + 1;
  const auto tasks = joining_tasks(on, command);
  BOOST_OUTCOME_TRY(auto events, decide(loaded.on, command, id, number, tasks, on.context));
  BOOST_OUTCOME_TRY(require_dataset(on, command, tasks));
  return batch_reply(std::move(events), id);
}

Result<Handled> handle(const Handling& on, const UpdateBatch& command) {
  return decide_batch(on, command);
}

Result<Handled> handle(const Handling& on, const DeleteBatch& command) {
  BOOST_OUTCOME_TRY(auto handled, decide_batch(on, command));
  handled.reply = {};
  return handled;
}

Result<Handled> handle(const Handling& on, const AddBatchTasks& command) {
  const auto tasks = joining_tasks(on, command);
  BOOST_OUTCOME_TRY(auto handled, decide_batch(on, command, tasks));
  BOOST_OUTCOME_TRY(require_dataset(on, command, tasks));
  return handled;
}

Result<Handled> handle(const Handling& on, const RemoveBatchTasks& command) {
  return decide_batch(on, command, named_tasks(on, command.project_id, command.task_ids));
}

Result<Handled> handle(const Handling& on, const MoveBatch& command) {
  return decide_batch(on, command);
}

Result<Handled> handle(const Handling& on, const ResetBatch& command) {
  return decide_batch(on, command);
}

Result<Handled> handle(const Handling& on, const ChangeBatches& command) {
  return decide_many(on, command);
}

Result<Handled> handle(const Handling& on, const ReassignBatches& command) {
  return decide_many(on, command);
}

Result<Handled> handle(const Handling& on, const DistributeBatches& command) {
  const auto project = on.state.project(command.project_id);
  std::vector<BatchState> batches;
  for (const auto& id : on.state.batches_of(command.project_id)) {
    batches.push_back(*on.state.batch(id));
  }
  BOOST_OUTCOME_TRY(auto decision, decide(*project, command, batches, on.context));
  BatchesChanged trace{command.project_id, BatchesAction::distributed, {}, {}, {}};
  for (const auto& one : decision.outcome.assignments) trace.succeeded.push_back(one.batch_id);
  decision.events.emplace_back(std::move(trace));
  return Handled{std::move(decision.events),
                 {ReplyKind::distribution, {}, codec::to_json_text(decision.outcome)}};
}

}  // namespace annolog::commands
