// Records of several shards in the order of their times; within a shard in the order of the log.
// One thread. Throws what EventLog::read() throws.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::app {

using RecordFilter = std::function<bool(const eventstore::Record& record)>;

// Forward from a place of each shard.
class MergedRecords {
 public:
  struct From {
    eventstore::ShardId shard;
    eventstore::Offset after;
  };
  MergedRecords(const eventstore::EventLog& log, std::span<const From> from);

  // The next one; nullopt at the ends: later there may be more.
  std::optional<eventstore::Record> next();

 private:
  struct Source {
    eventstore::ShardId shard;
    eventstore::Offset read;                 // up to here
    std::deque<eventstore::Record> waiting;  // of them, those not given yet
  };
  void fill(Source& source) const;

  const eventstore::EventLog& log_;
  std::vector<Source> sources_;
  std::vector<std::size_t> line_;  // a heap of the sources with waiting records
};

// The newest `count` that pass the filter, up to the given ends, oldest first. Fewer when `stop`
// says so, or when there are no more.
std::vector<eventstore::Record> newest_records(const eventstore::EventLog& log,
                                               std::span<const MergedRecords::From> ends,
                                               std::size_t count, const RecordFilter& filter,
                                               const std::function<bool()>& stop);

}  // namespace annolog::app
