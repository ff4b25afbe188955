#include "domain/project/unlinking.hpp"

#include <algorithm>

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
                    const std::vector<BatchSize>& batches) {
  if (tasks.empty()) return {};
  TasksRemoved removed{command.project_id, command.dataset_id, {}};
  for (const LeavingTask& task : tasks) removed.task_ids.push_back(task.task_id);
  Events events{std::move(removed)};
  for (const BatchSize& batch : batches) {
    const auto leaving = std::count_if(tasks.begin(), tasks.end(), [&](const LeavingTask& task) {
      return task.batch_id == batch.batch_id;
    });
    if (leaving == batch.tasks) {
      events.emplace_back(BatchDeleted{command.project_id, batch.batch_id});
    }
  }
  return events;
}

Result<Events> decide(const std::optional<Unlinking>& before, const FinishUnlinking& command) {
  if (!before || before->is_finished) return Events{};  // done before
  return Events{ProjectUnlinkFinished{command.project_id, command.dataset_id}};
}

}  // namespace annolog
