// Reads the state family. Any thread. Throws as throw_read_error() does.
#pragma once

#include <rocksdb/db.h>

#include "eventstore/rocksdb/store.hpp"
#include "eventstore/staged_transaction.hpp"

namespace annolog::eventstore {

class StateReader final : public CommittedState {
 public:
  // `snapshot` null: always the newest committed state.
  StateReader(const Store& store, const rocksdb::Snapshot* snapshot);

  std::optional<std::string> get(ShardId shard, std::string_view key) const override;
  void scan(ShardId shard, std::string_view prefix, std::string_view from_key,
            const ScanCallback& callback) const override;
  void scan_reverse(ShardId shard, std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const override;

 private:
  const Store& store_;
  rocksdb::ReadOptions read_;
};

// A frozen view of one shard. It must not outlive the store.
class RocksdbSnapshot final : public StateSnapshot {
 public:
  RocksdbSnapshot(const Store& store, ShardId shard);
  Offset position() const override { return position_; }
  std::optional<std::string> get(std::string_view key) const override;
  void scan(std::string_view prefix, std::string_view from_key,
            const ScanCallback& callback) const override;
  void scan_reverse(std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const override;

 private:
  rocksdb::ManagedSnapshot snapshot_;
  ShardId shard_;
  StateReader reader_;
  Offset position_;
};

// As stored; 0 when there is none.
Offset read_state_position(const Store& store, ShardId shard, const rocksdb::Snapshot* snapshot);

}  // namespace annolog::eventstore
