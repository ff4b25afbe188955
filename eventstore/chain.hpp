// The hash chain of a shard: chain(0) = SHA-256(fixed text, shard, shard count), chain(n) =
// SHA-256(chain(n-1), encoding of record n). Source: docs/log-format.md, "Chain".
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// Keeps one OpenSSL context for all its hashes: one ChainHasher per thread or per call, not shared.
class ChainHasher {
 public:
  ChainHasher();
  ~ChainHasher();
  ChainHasher(const ChainHasher&) = delete;
  ChainHasher& operator=(const ChainHasher&) = delete;

  Hash genesis(ShardId shard, std::uint16_t shard_count);
  Hash next(const Hash& previous, std::string_view encoding);
  Hash sha256(std::string_view first, std::string_view second = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string to_hex(std::string_view bytes);
std::string_view as_bytes(const Hash& hash);

}  // namespace annolog::eventstore
