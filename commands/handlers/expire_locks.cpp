// Locks that are over go from the shard, a step at a time.
#include "domain/task/expire_locks.hpp"

#include "commands/handlers/handlers.hpp"

namespace annolog::commands {

Result<Handled> handle(const Handling& on, const ExpireLocks& command) {
  std::vector<TaskState> rows;
  bool more = false;
  on.state.each_over_lock(on.context.now, [&](TaskId id) {
    more = rows.size() == command.kTasksMax;
    if (!more) rows.push_back(on.state.stored_task(id).row);
    return !more;
  });
  return Handled{expire_locks(rows, on.context.now), {}, Reply{Remains{more}}};
}

}  // namespace annolog::commands
