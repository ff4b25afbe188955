#include "eventstore/kafka/followed_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "eventstore/record_codec.hpp"

namespace annolog::eventstore::kafka {

void FollowedShard::begin_at(Offset end, const Hash& chain) {
  const std::lock_guard lock(mutex_);
  end_ = end;
  chain_ = chain;
}

Offset FollowedShard::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

Hash FollowedShard::chain() const {
  const std::lock_guard lock(mutex_);
  return chain_;
}

bool FollowedShard::follow(std::vector<Record> records) {
  const std::lock_guard lock(mutex_);
  if (held_) {
    std::move(records.begin(), records.end(), std::back_inserter(waiting_));
    return false;
  }
  return accept(records);
}

void FollowedShard::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

bool FollowedShard::release(const std::vector<Record>& committed) {
  const std::lock_guard lock(mutex_);
  held_ = false;
  const std::vector<Record> waiting = std::move(waiting_);
  waiting_.clear();
  bool moved = false;
  if (!committed.empty()) {
    moved = committed.back().position.offset > end_;
    recent_.put(committed);
    end_ = std::max(end_, committed.back().position.offset);
    chain_ = committed.back().chain;
  }
  moved_.notify_all();
  moved = accept(waiting) || moved;
  return moved;
}

bool FollowedShard::accept(const std::vector<Record>& records) {
  std::vector<Record> fresh;
  Offset end = end_;
  Hash chain = chain_;
  std::string encoding;
  for (const Record& record : records) {
    if (record.position.offset <= end) continue;
    const Offset expected = end.next();
    if (record.position.offset != expected)
      throw LogCorrupted(
          shard_, expected,
          fmt::format("the record is missing, the next is {}", record.position.offset.value));
    encoding.clear();
    encode_record(record.headers, record.data, record.last_of_command, encoding);
    chain = hasher_.next(chain, encoding);
    if (chain != record.chain)
      throw LogCorrupted(shard_, expected, "the hash chain does not match: altered bytes");
    end = expected;
    fresh.push_back(record);
  }
  if (fresh.empty()) return false;
  recent_.put(fresh);
  end_ = end;
  chain_ = chain;
  moved_.notify_all();
  return true;
}

bool FollowedShard::wait_until(Offset end, std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  return moved_.wait_until(lock, deadline, [&] { return end_ >= end; });
}

}  // namespace annolog::eventstore::kafka
