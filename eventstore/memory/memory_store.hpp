// What a memory log keeps. Internal to memory/: `mutex` guards everything below it.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

using MemoryState = std::map<std::string, std::string, std::less<>>;

class MemoryStore {
 public:
  struct Shard {
    std::vector<std::string> records;  // stored form, [0] has offset 1
    Hash chain{};                      // of the last record
    MemoryState state;
    Offset state_position;

    Offset end() const { return Offset{records.size()}; }
  };

  explicit MemoryStore(std::uint16_t shard_count);

  std::string log_id;
  mutable std::mutex mutex;
  std::vector<Shard> shards;
};

void scan_forward(const MemoryState& state, std::string_view prefix, std::string_view from_key,
                  const ScanCallback& callback);
void scan_backward(const MemoryState& state, std::string_view prefix, std::string_view from_key,
                   const ScanCallback& callback);

}  // namespace annolog::eventstore
