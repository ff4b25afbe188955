#include "domain/task/expire_locks.hpp"

namespace annolog {

Events expire_locks(const std::vector<TaskState>& rows, Timestamp now) {
  Events events;
  for (const TaskState& row : rows) {
    if (!row.lock || row.live_lock(now) != nullptr) continue;
    events.emplace_back(
        TaskLockExpired{row.project_id, row.id, row.lock->user_id, row.lock->expires_at});
  }
  return events;
}

}  // namespace annolog
