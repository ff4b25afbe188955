// Takes batches from the log over all shards and decodes them; remembers which subjects are parked.
// One thread. Throws what the log throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "projections/engine/control.hpp"

namespace annolog::projections {

class FreshEvents;

// The reason of records that come after a parked one.
inline constexpr const char* kFollowsParked = "follows a parked event of its subject";

struct ReadRecord {
  eventstore::Record record;
  std::optional<Event> event;  // absent: parked
  std::string park_reason;     // when parked
};

// Runs of records, shard by shard, each run without gaps.
using ReadBatch = std::vector<ReadRecord>;

class LogReader {
 public:
  using EndOf = std::function<eventstore::Offset(eventstore::ShardId)>;

  // With `fresh`, what lies there is not decoded again.
  LogReader(const eventstore::EventLog& log, EndOf end_of, eventstore::ReadLimits limits,
            FreshEvents* fresh = nullptr)
      : log_(&log), end_of_(std::move(end_of)), limits_(limits), fresh_(fresh) {}

  void start_at(Positions positions, std::unordered_set<std::string> parked);
  // The records after what was given before, that many at most; empty: there are none now.
  ReadBatch next(std::size_t max_records = std::numeric_limits<std::size_t>::max());
  std::uint64_t waiting() const;  // records that next() has not given
  bool at_end() const { return waiting() == 0; }
  const Positions& positions() const { return positions_; }  // what was given so far

  void park(const std::string& subject) { parked_.insert(subject); }
  // Parks the record when its subject is.
  void check_parked(ReadRecord& record) const;

 private:
  void decode(ReadRecord& record);

  const eventstore::EventLog* log_;
  EndOf end_of_;
  eventstore::ReadLimits limits_;
  FreshEvents* fresh_;
  Positions positions_;
  std::unordered_set<std::string> parked_;
  std::size_t first_shard_ = 0;  // behind the last one read: a busy shard can't hold up the others
};

}  // namespace annolog::projections
