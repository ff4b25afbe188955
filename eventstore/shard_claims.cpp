#include "eventstore/shard_claims.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace annolog::eventstore {

ShardClaims::Claim::Claim(ShardClaims& claims, std::vector<ShardId> shards)
    : claims_(&claims), shards_(std::move(shards)) {}

ShardClaims::Claim::Claim(Claim&& other) noexcept
    : claims_(std::exchange(other.claims_, nullptr)), shards_(std::move(other.shards_)) {}

ShardClaims::Claim::~Claim() {
  if (claims_ != nullptr) claims_->release(shards_);
}

void ShardClaims::require_known(ShardId shard) const {
  if (shard.value >= claimed_.size())
    throw std::out_of_range(
        fmt::format("no shard {}: the log has {}", shard.value, claimed_.size()));
}

ShardClaims::Claim ShardClaims::claim(std::span<const ShardId> shards) {
  for (const ShardId shard : shards) require_known(shard);
  std::vector<ShardId> wanted(shards.begin(), shards.end());
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!claimed_[wanted[i].value]) {
      claimed_[wanted[i].value] = true;
      continue;
    }
    for (std::size_t taken = 0; taken < i; ++taken) claimed_[wanted[taken].value] = false;
    throw std::logic_error(fmt::format("shard {} has a writer already", wanted[i].value));
  }
  return {*this, std::move(wanted)};
}

void ShardClaims::release(const std::vector<ShardId>& shards) {
  const std::lock_guard lock(mutex_);
  for (const ShardId shard : shards) claimed_[shard.value] = false;
}

}  // namespace annolog::eventstore
