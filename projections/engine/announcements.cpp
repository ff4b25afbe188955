#include "projections/engine/announcements.hpp"

#include <algorithm>
#include <utility>

namespace annolog::projections {

void Announcements::begin_behind(const Positions& known) {
  announced_ = known;
  has_begun_ = true;
}

void Announcements::announce(const ReadBatch& batch) {
  std::vector<AppliedEvent> events;
  events.reserve(batch.size());
  for (const ReadRecord& read : batch) {
    const auto& at = read.record.position;
    if (at.offset <= announced_[at.shard.value]) continue;
    announced_[at.shard.value] = at.offset;
    events.push_back({&read.record, read.event ? &*read.event : nullptr});
  }
  if (events.empty()) return;
  for (const CommitListener& listener : listeners_) {
    try {
      listener(events);
    } catch (const std::exception& error) {
      logger_.error("a listener of the projector failed", {{"error", error.what()}});
    }
  }
}

void Announcements::catch_up(const Positions& reached, LogReader reader) {
  if (std::exchange(has_begun_, true) && !listeners_.empty()) {
    Positions from = announced_;
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::min(from[i], reached[i]);
    reader.start_at(from, {});
    while (is_behind(reader.positions(), reached)) {
      ReadBatch batch = reader.next();
      if (batch.empty()) break;
      std::erase_if(batch, [&](const ReadRecord& read) {
        const auto& at = read.record.position;
        return at.offset > reached[at.shard.value];
      });
      announce(batch);
    }
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    announced_[i] = std::max(announced_[i], reached[i]);
  }
}

}  // namespace annolog::projections
