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
  require_next(offset);
  const auto parts = split_stored(stored);
  if (!parts || !decode_record(parts->encoding))
    throw LogCorrupted(shard_, offset, "the bytes are not a record");
  take(parts->encoding, parts->chain);
}

void ChainCheck::next(const Record& record) {
  require_next(record.position.offset);
  encoding_.clear();
  encode_record(record.headers, record.data, record.last_of_command, encoding_);
  take(encoding_, record.chain);
}

void ChainCheck::require_next(Offset offset) const {
  const Offset expected = reached_.next();
  if (offset != expected)
    throw LogCorrupted(shard_, expected,
                       fmt::format("the record is missing, the next is {}", offset.value));
}

void ChainCheck::take(std::string_view encoding, const Hash& chain) {
  const Offset offset = reached_.next();
  chain_ = hasher_.next(chain_, encoding);
  if (chain_ != chain)
    throw LogCorrupted(shard_, offset, "the hash chain does not match: altered bytes");
  reached_ = offset;
}

}  // namespace annolog::eventstore
