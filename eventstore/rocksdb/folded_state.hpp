// The state of all shards in a RocksDB database: what every log that keeps its state there shares.
// Reads by any thread; writes by the one who has claimed the shard. Throws LogUnavailable when the
// disk refuses, LogCorrupted for damage.
#pragma once

#include <rocksdb/write_batch.h>

#include "eventstore/rocksdb/batch_writer.hpp"
#include "eventstore/rocksdb/state_reader.hpp"
#include "eventstore/rocksdb/store.hpp"

namespace annolog::eventstore {

// Adds the writes and the position that they lead to.
void put_state(const Store& store, ShardId shard, const StagedState& writes, Offset position,
               rocksdb::WriteBatch& batch);
// Removes all of the shard's state and sets its position to 0.
void drop_state(const Store& store, ShardId shard, rocksdb::WriteBatch& batch);
// `synced` false: a crash may take it back, and it is folded again.
void write_state(BatchWriter& writer, rocksdb::WriteBatch& batch, bool synced);

}  // namespace annolog::eventstore
