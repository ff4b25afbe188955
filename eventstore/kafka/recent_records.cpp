#include "eventstore/kafka/recent_records.hpp"

namespace annolog::eventstore::kafka {
namespace {

// Headers, chain and containers, about.
constexpr std::size_t kBesideData = 400;

std::size_t size_of(const Record& record) { return record.data.size() + kBesideData; }

}  // namespace

void RecentRecords::put(const std::vector<Record>& records) {
  const std::lock_guard lock(mutex_);
  for (const Record& record : records) {
    Kept& kept = shards_[record.position.shard.value];
    const bool follows =
        kept.empty() || kept.back()->position.offset.next() == record.position.offset;
    if (!follows) {
      for (const auto& old : kept) bytes_ -= size_of(*old);
      std::erase(arrivals_, record.position.shard);
      kept.clear();
    }
    kept.push_back(std::make_shared<const Record>(record));
    arrivals_.push_back(record.position.shard);
    bytes_ += size_of(record);
  }
  while (bytes_ > bytes_max_ && arrivals_.size() > 1) drop_oldest();
}

void RecentRecords::drop_oldest() {
  Kept& kept = shards_[arrivals_.front().value];
  bytes_ -= size_of(*kept.front());
  kept.pop_front();
  arrivals_.pop_front();
}

std::optional<std::vector<Record>> RecentRecords::read(ShardId shard, Offset after,
                                                       const ReadLimits& limits) const {
  std::vector<std::shared_ptr<const Record>> found;
  {
    const std::lock_guard lock(mutex_);
    const Kept& kept = shards_[shard.value];
    if (kept.empty() || kept.front()->position.offset > after.next() ||
        kept.back()->position.offset <= after)
      return std::nullopt;
    std::size_t bytes = 0;
    for (std::size_t i = after.next().value - kept.front()->position.offset.value;
         i < kept.size() && found.size() < limits.max_records; ++i) {
      bytes += kept[i]->data.size();
      if (!found.empty() && bytes > limits.max_bytes) break;
      found.push_back(kept[i]);
    }
  }
  std::vector<Record> records;
  records.reserve(found.size());
  for (const auto& record : found) records.push_back(*record);
  return records;
}

}  // namespace annolog::eventstore::kafka
