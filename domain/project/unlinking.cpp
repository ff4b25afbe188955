#include "domain/project/unlinking.hpp"

#include "domain/identity/refusals.hpp"

namespace annolog {

Result<Events> decide(const ProjectState& state, const std::optional<Unlinking>& before,
                      const UnlinkDataset& command, const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  if (command.link == 0) return not_found("link");
  if (state.status == ProjectStatus::archived) {
    return conflict("PROJECT_ARCHIVED",
                    "The project is archived; nothing can be unlinked from it.");
  }
  if (before && before->ends(command.link)) return Events{};
  return Events{ProjectDatasetUnlinked{command.project_id, command.dataset_id, command.link}};
}

Events remove_tasks(const RemoveDatasetTasks& command, const std::vector<LeavingTask>& tasks,
                    const std::vector<TaskBatch>& batches) {
  if (tasks.empty()) return {};
  TasksRemoved removed{command.project_id, command.dataset_id, {}};
  for (const LeavingTask& task : tasks) removed.task_ids.push_back(task.task_id);
  Events events{std::move(removed)};
  for (const TaskBatch& before : batches) {
    TaskBatch after = before;
    for (const LeavingTask& task : tasks) {
      if (task.batch_id == before.batch.id) --after.progress.of(task.status);
    }
    if (after.progress.total() == 0) {
      events.emplace_back(BatchDeleted{command.project_id, before.batch.id});
    } else {
      follow_tasks(after, events);
    }
  }
  return events;
}

Result<Events> decide(const std::optional<Unlinking>& before, const FinishUnlinking& command) {
  if (!before || !before->removes(command.link)) return Events{};  // done before
  return Events{ProjectUnlinkFinished{command.project_id, command.dataset_id}};
}

DomainError unlink_under_way() {
  return conflict("UNLINK_UNDER_WAY",
                  "The dataset's tasks are just being removed; try again when they are gone.");
}

}  // namespace annolog
