#include "eventstore/kafka/record_readers.hpp"

#include <algorithm>

namespace annolog::eventstore::kafka {
namespace {

constexpr std::size_t kIdleMax = 3;

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
    if (!idle_.empty()) {
      auto chosen = std::find_if(idle_.begin(), idle_.end(), [&](const auto& reader) {
        return reader->stands_at(shard, after);
      });
      if (chosen == idle_.end()) chosen = idle_.begin();
      auto reader = std::move(*chosen);
      idle_.erase(chosen);
      return reader;
    }
  }
  return std::make_unique<RecordReader>(connection_, topic_, ahead_bytes_);
}

void RecordReaders::release(std::unique_ptr<RecordReader> reader) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(reader));
}

}  // namespace annolog::eventstore::kafka
