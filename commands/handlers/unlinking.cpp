// A dataset leaves a project: its tasks go in steps.
#include <set>

#include "commands/handlers/handlers.hpp"

namespace annolog::commands {

Result<Handled> handle(const Handling& on, const UnlinkDataset& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events,
                    decide(*project, on.state.unlinking(command.project_id, command.dataset_id),
                           command, on.context));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const RemoveDatasetTasks& command) {
  const auto unlinking = on.state.unlinking(command.project_id, command.dataset_id);
  if (!unlinking || !unlinking->removes(command.link))
    return Handled{{}, {}, Reply{Remains{false}}};  // a step that comes late
  const Key of_dataset = Key(Table::task_of_item).id(command.project_id).id(command.dataset_id);
  std::vector<LeavingTask> tasks;
  bool more = false;
  on.state.store().scan(of_dataset.bytes(), {}, [&](std::string_view, std::string_view value) {
    more = tasks.size() == command.kTasksMax;
    if (!more) tasks.push_back({TaskId{codec::from_binary<std::int64_t>(value)}, {}, {}});
    return !more;
  });
  std::set<BatchId> seen;
  std::vector<TaskBatch> batches;
  for (LeavingTask& leaving : tasks) {
    const TaskState task = on.state.task(leaving.task_id);
    leaving.batch_id = task.batch_id;
    leaving.status = task.status;
    if (const auto& id = task.batch_id; id && seen.insert(*id).second)
      batches.push_back({*on.state.batch(*id), on.state.progress(*id)});
  }
  return Handled{remove_tasks(command, tasks, batches), {}, Reply{Remains{more}}};
}

Result<Handled> handle(const Handling& on, const FinishUnlinking& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.unlinking(command.project_id, command.dataset_id), command));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const ReadUnlinking& command) {
  const auto unlinking = on.state.unlinking(command.project_id, command.dataset_id);
  return Handled{{}, {}, Reply{Remains{is_under_way(unlinking)}}};
}

}  // namespace annolog::commands
