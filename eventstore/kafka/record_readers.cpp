#include "eventstore/kafka/record_readers.hpp"

#include <algorithm>
#include <thread>

namespace annolog::eventstore::kafka {
namespace {

// For all that read a whole log together (for_each_shard), and some who look into the past.
std::size_t idle_most() { return std::thread::hardware_concurrency() + 2; }

}  // namespace

std::vector<Record> RecordReaders::read(ShardId shard, Offset after, Offset last,
                                        const ReadLimits& limits, Deadline deadline) {
  auto reader = acquire(shard, after);
  std::vector<Record> records = reader->read(shard, after, last, limits, deadline);
  release(std::move(reader));
  return records;
}

std::unique_ptr<RecordReader> RecordReaders::acquire(ShardId shard, Offset after) {
  {
    const std::lock_guard lock(mutex_);
    auto chosen = std::ranges::find_if(
        idle_, [&](const auto& reader) { return reader->stands_at(shard, after); });
    if (chosen == idle_.end())
      chosen = std::ranges::find_if(idle_, [](const auto& reader) { return reader->is_free(); });
    if (chosen == idle_.end() && idle_.size() >= idle_most()) chosen = idle_.begin();
    if (chosen != idle_.end()) {
      auto reader = std::move(*chosen);
      idle_.erase(chosen);
      return reader;
    }
  }
  return std::make_unique<RecordReader>(connection_, topic_, ahead_bytes_);
}

void RecordReaders::release(std::unique_ptr<RecordReader> reader) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < idle_most()) idle_.push_back(std::move(reader));
}

}  // namespace annolog::eventstore::kafka
