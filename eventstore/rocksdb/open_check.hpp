// What is looked at when a log is opened: that it is the log asked for, and that each shard's end
// is whole. One thread, before the log is used. Source: docs/log-format.md, "Opening".
#pragma once

#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/rocksdb/store.hpp"

namespace annolog::eventstore {

// Reads the log's info, or writes it when the log is new. Throws LogRefused for another shard count
// or format version, LogCorrupted for records without info.
LogInfo load_info(const Store& store, const RocksdbLogOptions& options);
// For a copy of another log: `info` when there is none yet. Throws LogRefused for another log.
void adopt_info(const Store& store, const RocksdbLogOptions& options, const LogInfo& info);

struct OpenedShard {
  ShardEnd end;
  Offset state_position;
};
// Compares end mark, last record and state position, and re-hashes the last records. Throws
// LogCorrupted naming the shard and the first offset that is wrong.
OpenedShard check_shard(const Store& store, ShardId shard, std::uint16_t shard_count,
                        std::uint64_t tail_records);

}  // namespace annolog::eventstore
