// Reads the records family. Any thread. Throws LogCorrupted naming shard and offset when a record
// is missing or its block is damaged.
#pragma once

#include <functional>

#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/rocksdb/store.hpp"

namespace annolog::eventstore {

// Return false to stop.
using StoredCallback = std::function<bool(Offset offset, std::string_view stored)>;

// Every record after `after` up to `last`, in order. `fill_cache` false: for reads of everything.
void walk_records(const Store& store, ShardId shard, Offset after, Offset last, bool fill_cache,
                  const StoredCallback& callback);
// The last record that there is, whatever the end mark says; 0 when there is none.
Offset find_last_record(const Store& store, ShardId shard);
// The chain that stands in the record `at`, or the genesis for 0.
Hash stored_chain(const Store& store, ShardId shard, std::uint16_t shard_count, Offset at);
// Recomputes the chain of all records after `from` up to `last`; gives the last one.
Hash check_records(const Store& store, ShardId shard, std::uint16_t shard_count, Offset from,
                   Offset last, const VerifyProgress& progress);

}  // namespace annolog::eventstore
