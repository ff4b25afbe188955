// A dataset leaves a project: the project decides, its tasks of the dataset go in steps, then the
// dataset forgets the link. What is kept of that stays in the project's shard: a step of the link
// that comes late must make no tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/batch/work.hpp"
#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/project/state.hpp"
#include "domain/support/result.hpp"

namespace annolog {

struct Unlinking {
  ProjectId project_id;
  DatasetId dataset_id;
  std::int64_t link = 0;  // Link::number; it makes tasks no more, nor do earlier ones
  bool is_finished = false;
  bool operator==(const Unlinking&) const = default;

  bool ends(std::int64_t link_number) const { return link_number <= link; }
  // What a step of that link's removal may still do: once it is finished, nothing, for a new link's
  // tasks may be there.
  bool removes(std::int64_t link_number) const { return link_number == link && !is_finished; }
};
BOOST_DESCRIBE_STRUCT(Unlinking, (), (project_id, dataset_id, link, is_finished))

// Tasks may be left that go yet. `last`: what is known of the dataset, if it was ever unlinked.
inline bool is_under_way(const std::optional<Unlinking>& last) {
  return last && !last->is_finished;
}

struct UnlinkDataset {
  ProjectId project_id;
  DatasetId dataset_id;
  std::int64_t link = 0;  // 0: there is none
};
BOOST_DESCRIBE_STRUCT(UnlinkDataset, (), (project_id, dataset_id, link))

// By the process manager, until none is left. Batches that lose their last task with it are
// deleted.
struct RemoveDatasetTasks {
  static constexpr std::size_t kTasksMax = 500;  // in one step: the others wait for it
  ProjectId project_id;
  DatasetId dataset_id;
  std::int64_t link = 0;  // the one that ended: of another one nothing is removed
};
BOOST_DESCRIBE_STRUCT(RemoveDatasetTasks, (), (project_id, dataset_id, link))

// By the process manager, once the dataset has forgotten the link.
struct FinishUnlinking {
  ProjectId project_id;
  DatasetId dataset_id;
  std::int64_t link = 0;
};
BOOST_DESCRIBE_STRUCT(FinishUnlinking, (), (project_id, dataset_id, link))

// A task that goes.
struct LeavingTask {
  TaskId task_id;
  std::optional<BatchId> batch_id;
  TaskStatus status = TaskStatus::pending;
};

// `before`: what is known of the dataset, if it was unlinked earlier. Nothing happens to a link
// that is ended already.
Result<Events> decide(const ProjectState& state, const std::optional<Unlinking>& before,
                      const UnlinkDataset& command, const Context& context);
// `tasks`: the next ones of the dataset; `batches`: those that they are in, as they are before.
// A batch at annotating that keeps tasks, but no open ones, goes to reviewing.
Events remove_tasks(const RemoveDatasetTasks& command, const std::vector<LeavingTask>& tasks,
                    const std::vector<TaskBatch>& batches);
Result<Events> decide(const std::optional<Unlinking>& before, const FinishUnlinking& command);
// Meanwhile no link to the dataset is allowed, and one that slipped in makes no tasks yet.
DomainError unlink_under_way();

}  // namespace annolog
