#include "eventstore/rocksdb/keys.hpp"

#include <algorithm>

#include "eventstore/chain.hpp"

namespace annolog::eventstore {
namespace {

std::string with_shard(std::string_view name, ShardId shard) {
  std::string key(name);
  key += shard_prefix(shard);
  return key;
}

}  // namespace

std::string shard_prefix(ShardId shard) {
  return {static_cast<char>(shard.value >> 8U), static_cast<char>(shard.value & 0xffU)};
}

std::string encode_offset(Offset offset) {
  std::string bytes(8, '\0');
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>((offset.value >> (56U - 8U * i)) & 0xffU);
  return bytes;
}

std::optional<Offset> decode_offset(std::string_view bytes) {
  if (bytes.size() != 8) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : bytes) value = (value << 8U) | static_cast<std::uint8_t>(c);
  return Offset{value};
}

std::string record_key(ShardId shard, Offset offset) {
  return shard_prefix(shard) + encode_offset(offset);
}

std::optional<Offset> offset_of_record_key(ShardId shard, std::string_view key) {
  if (!key.starts_with(shard_prefix(shard))) return std::nullopt;
  return decode_offset(key.substr(2));
}

std::string state_key(ShardId shard, std::string_view key) {
  std::string stored = shard_prefix(shard);
  stored.append(key);
  return stored;
}

std::string end_key(ShardId shard) { return with_shard("end", shard); }

std::string state_position_key(ShardId shard) { return with_shard("state", shard); }

std::string encode_end(const ShardEnd& end) {
  std::string bytes = encode_offset(end.offset);
  bytes.append(as_bytes(end.chain));
  return bytes;
}

std::optional<ShardEnd> decode_end(std::string_view bytes) {
  ShardEnd end;
  if (bytes.size() != 8 + end.chain.size()) return std::nullopt;
  end.offset = *decode_offset(bytes.substr(0, 8));
  std::transform(bytes.begin() + 8, bytes.end(), end.chain.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  return end;
}

}  // namespace annolog::eventstore
