// Keys of the three column families. Numbers are big-endian, so that bytes sort as numbers.
// Pure; any thread. Source: docs/log-format.md, "Keys".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

inline constexpr std::string_view kRecordsFamily = "records";
inline constexpr std::string_view kStateFamily = "state";
inline constexpr std::string_view kMetaFamily = "meta";

inline constexpr std::string_view kInfoKey = "info";
inline constexpr std::string_view kFillerKey = "filler";  // see batch_writer.cpp

// Shards above this would leave no key after the last one.
inline constexpr std::uint16_t kMaxShards = 4096;

std::string shard_prefix(ShardId shard);
std::string record_key(ShardId shard, Offset offset);
std::optional<Offset> offset_of_record_key(ShardId shard, std::string_view key);
std::string state_key(ShardId shard, std::string_view key);

std::string end_key(ShardId shard);             // offset and chain of the last record
std::string state_position_key(ShardId shard);  // offset up to which state is folded

std::string encode_end(const ShardEnd& end);
std::optional<ShardEnd> decode_end(std::string_view bytes);
std::string encode_offset(Offset offset);
std::optional<Offset> decode_offset(std::string_view bytes);

}  // namespace annolog::eventstore
