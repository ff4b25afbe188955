// The log in memory, for unit tests: same behaviour as the durable ones, lost with its store.
// Two logs over one MemoryStore, one after the other, stand for a restart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

class MemoryStore;  // the bytes that survive a "restart"
std::shared_ptr<MemoryStore> make_memory_store(std::uint16_t shard_count);

std::unique_ptr<EventLog> open_memory_log(std::uint16_t shard_count);
// Throws LogRefused when the store was made with another shard count.
std::unique_ptr<EventLog> open_memory_log(std::shared_ptr<MemoryStore> store,
                                          std::uint16_t shard_count);

// The stored bytes of a record, to damage them in tests of verification. Not beside a commit.
std::string& stored_record(MemoryStore& store, ShardId shard, Offset offset);

}  // namespace annolog::eventstore
