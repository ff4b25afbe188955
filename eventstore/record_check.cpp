#include "eventstore/record_check.hpp"

#include <fmt/format.h>

#include <utility>

#include "eventstore/record_codec.hpp"

namespace annolog::eventstore {

Record load_record(Position position, std::string_view stored) {
  const auto parts = split_stored(stored);
  auto decoded = parts ? decode_record(parts->encoding) : std::nullopt;
  if (!decoded) throw LogCorrupted(position.shard, position.offset, "the bytes are not a record");
  return {position, std::move(decoded->headers), std::move(decoded->data), parts->chain,
          decoded->last_of_command};
}

ChainCheck::ChainCheck(ShardId shard, Offset after, const Hash& chain)
    : shard_(shard), reached_(after), chain_(chain) {}

void ChainCheck::next(Offset offset, std::string_view stored) {
  const Offset expected = reached_.next();
  if (offset != expected)
    throw LogCorrupted(shard_, expected,
                       fmt::format("the record is missing, the next is {}", offset.value));
  const auto parts = split_stored(stored);
  if (!parts || !decode_record(parts->encoding))
    throw LogCorrupted(shard_, expected, "the bytes are not a record");
  chain_ = hasher_.next(chain_, parts->encoding);
  if (chain_ != parts->chain)
    throw LogCorrupted(shard_, expected, "the hash chain does not match: altered bytes");
  reached_ = expected;
}

}  // namespace annolog::eventstore
