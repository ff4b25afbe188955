// One writer per shard: a claim holds its shards until it is destroyed. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

class ShardClaims {
 public:
  class Claim {
   public:
    Claim(Claim&& other) noexcept;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    Claim& operator=(Claim&&) = delete;
    ~Claim();
    const std::vector<ShardId>& shards() const { return shards_; }

   private:
    friend class ShardClaims;
    Claim(ShardClaims& claims, std::vector<ShardId> shards);
    ShardClaims* claims_;
    std::vector<ShardId> shards_;
  };

  explicit ShardClaims(std::uint16_t shard_count) : claimed_(shard_count, false) {}
  // All or none. Throws std::logic_error when a shard is claimed already, std::out_of_range when
  // there is no such shard.
  Claim claim(std::span<const ShardId> shards);
  void require_known(ShardId shard) const;

 private:
  void release(const std::vector<ShardId>& shards);

  std::mutex mutex_;
  std::vector<bool> claimed_;
};

}  // namespace annolog::eventstore
