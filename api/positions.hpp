// Positions as clients see them (X-Event-Position), and what this node has acknowledged: a read
// waits for both (decisions, section 1). Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/position.hpp"

namespace annolog::api {

// Opaque to clients: "p1." and shard-offset pairs, e.g. p1.3-152.0-17.
std::string position_token(const std::vector<commands::Position>& positions);
std::optional<std::vector<commands::Position>> parse_position_token(std::string_view token,
                                                                    std::uint16_t shards);

class Acknowledged {
 public:
  explicit Acknowledged(std::uint16_t shards)
      : shards_(shards), offsets_(std::make_unique<std::atomic<std::uint64_t>[]>(shards)) {}

  void note(commands::Position position) {
    auto& slot = offsets_[position.shard.value];
    auto seen = slot.load();
    while (seen < position.offset.value &&
           !slot.compare_exchange_weak(seen, position.offset.value)) {
    }
  }
  commands::Offset last(commands::ShardId shard) const {
    return commands::Offset{offsets_[shard.value].load()};
  }
  std::uint16_t shards() const { return shards_; }

 private:
  std::uint16_t shards_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> offsets_;
};

}  // namespace annolog::api
