// The state of all shards as this process has folded it, in a RocksDB database that may be lost:
// nothing waits for the disk, a crash only means folding more. Reads by any thread, writes by the
// one who has claimed the shard. Throws LogRefused for a folder of another log, LogUnavailable,
// LogCorrupted.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/rocksdb/folded_state.hpp"

namespace annolog::eventstore::kafka {

class LocalState {
 public:
  LocalState(const RocksdbLogOptions& options, const LogInfo& info);

  const CommittedState& committed() const { return reader_; }
  Offset position(ShardId shard) const { return Offset{positions_[shard.value].load()}; }
  std::unique_ptr<StateSnapshot> snapshot(ShardId shard) const;

  struct Change {
    ShardId shard;
    const StagedState& writes;
    Offset position;
  };
  void put(std::span<const Change> changes);
  void drop(ShardId shard);

  LogHealth health() const { return writer_.health(); }
  bool try_resume() { return writer_.try_resume(); }

 private:
  Store store_;
  BatchWriter writer_;
  StateReader reader_;
  std::vector<std::atomic<std::uint64_t>> positions_;
};

}  // namespace annolog::eventstore::kafka
