#include "api/rendered_tasks.hpp"

#include <utility>

namespace annolog::api {

void RenderedTasks::keep(std::int64_t id, Entry entry) {
  if (young_bytes_ + entry.text.size() > half_bytes_max_) {
    old_ = std::exchange(young_, {});
    young_bytes_ = 0;
  }
  Entry& kept = young_[id];
  young_bytes_ -= kept.text.size();
  kept = std::move(entry);
  young_bytes_ += kept.text.size();
}

const RenderedTasks::Entry* RenderedTasks::find(std::int64_t id) {
  if (const auto young = young_.find(id); young != young_.end()) return &young->second;
  const auto old = old_.find(id);
  if (old == old_.end()) return nullptr;
  Entry entry = std::move(old->second);
  old_.erase(old);
  keep(id, std::move(entry));
  return &young_.find(id)->second;
}

bool RenderedTasks::append_all(std::span<const projections::TaskKey> tasks, std::uint64_t names,
                               Timestamp now, std::string& out) {
  const std::size_t before = out.size();
  const std::lock_guard guard(mutex_);
  for (const auto& task : tasks) {
    const Entry* entry = find(task.id.value);
    if (entry == nullptr || entry->version != task.version || entry->names != names ||
        (entry->until && *entry->until <= now)) {
      out.resize(before);
      return false;
    }
    if (out.size() != before) out += ',';
    out += entry->text;
  }
  return true;
}

void RenderedTasks::put(const TaskView& task, std::uint64_t names, std::string text) {
  std::optional<Timestamp> until;
  if (task.lock) until = task.lock->expires_at;
  const std::lock_guard guard(mutex_);
  keep(task.id.value, {task.version, names, until, std::move(text)});
}

}  // namespace annolog::api
