#include "eventstore/rocksdb/folded_state.hpp"

#include <fmt/format.h>

#include "eventstore/rocksdb/keys.hpp"

namespace annolog::eventstore {

void put_state(const Store& store, ShardId shard, const StagedState& writes, Offset position,
               rocksdb::WriteBatch& batch) {
  for (const auto& [key, value] : writes) {
    if (value) {
      batch.Put(store.state.get(), state_key(shard, key), *value);
    } else {
      batch.Delete(store.state.get(), state_key(shard, key));
    }
  }
  batch.Put(store.meta.get(), state_position_key(shard), encode_offset(position));
}

void drop_state(const Store& store, ShardId shard, rocksdb::WriteBatch& batch) {
  batch.DeleteRange(store.state.get(), shard_prefix(shard),
                    shard_prefix(ShardId{static_cast<std::uint16_t>(shard.value + 1U)}));
  batch.Put(store.meta.get(), state_position_key(shard), encode_offset(Offset{}));
}

void write_state(BatchWriter& writer, rocksdb::WriteBatch& batch, bool synced) {
  if (writer.write(batch, synced) != CommitOutcome::ok)
    throw LogUnavailable(fmt::format("state can't be written: {}", writer.health().detail));
}

}  // namespace annolog::eventstore
