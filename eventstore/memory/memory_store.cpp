#include "eventstore/memory/memory_store.hpp"

#include "eventstore/chain.hpp"
#include "eventstore/key_range.hpp"
#include "eventstore/log_id.hpp"
#include "eventstore/memory/memory_log.hpp"

namespace annolog::eventstore {

MemoryStore::MemoryStore(std::uint16_t shard_count) : log_id(random_log_id()), shards(shard_count) {
  ChainHasher hasher;
  for (std::uint16_t i = 0; i < shard_count; ++i)
    shards[i].chain = hasher.genesis(ShardId{i}, shard_count);
}

void scan_forward(const MemoryState& state, std::string_view prefix, std::string_view from_key,
                  const ScanCallback& callback) {
  for (auto at = state.lower_bound(scan_start(prefix, from_key));
       at != state.end() && std::string_view(at->first).starts_with(prefix); ++at)
    if (!callback(at->first, at->second)) return;
}

void scan_backward(const MemoryState& state, std::string_view prefix, std::string_view from_key,
                   const ScanCallback& callback) {
  const std::optional<std::string> bound = after_prefix(prefix);
  auto above = bound ? state.lower_bound(*bound) : state.end();
  if (!from_key.empty() && (!bound || from_key < *bound)) above = state.upper_bound(from_key);
  while (above != state.begin()) {
    --above;
    if (!std::string_view(above->first).starts_with(prefix)) return;
    if (!callback(above->first, above->second)) return;
  }
}

std::shared_ptr<MemoryStore> make_memory_store(std::uint16_t shard_count) {
  return std::make_shared<MemoryStore>(shard_count);
}

std::string& stored_record(MemoryStore& store, ShardId shard, Offset offset) {
  const std::lock_guard lock(store.mutex);
  return store.shards.at(shard.value).records.at(offset.value - 1);
}

}  // namespace annolog::eventstore
