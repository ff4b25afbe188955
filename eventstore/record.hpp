// Where a record stands and what it holds: shards, offsets, CloudEvents attributes, JSON bytes.
// Plain values, free for any thread. Source: docs/log-format.md; CloudEvents 1.0.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace annolog::eventstore {

// A partition of the log with exactly one writer; 0 .. shard_count - 1.
struct ShardId {
  std::uint16_t value = 0;

  constexpr ShardId() = default;
  constexpr explicit ShardId(std::uint16_t v) : value(v) {}
  auto operator<=>(const ShardId&) const = default;
};

// The place of a record in its shard: 1, 2, 3 … without gaps; 0 is before the first.
struct Offset {
  std::uint64_t value = 0;

  constexpr Offset() = default;
  constexpr explicit Offset(std::uint64_t v) : value(v) {}
  constexpr Offset next() const { return Offset{value + 1}; }
  auto operator<=>(const Offset&) const = default;
};

struct Position {
  ShardId shard;
  Offset offset;
  auto operator<=>(const Position&) const = default;
};

using Hash = std::array<std::uint8_t, 32>;  // SHA-256

// Where a shard ends: its last record and that record's chain; 0 and the genesis without records.
struct ShardEnd {
  Offset offset;
  Hash chain{};
  bool operator==(const ShardEnd&) const = default;
};

// CloudEvents attributes and extensions. Empty text: the attribute is absent.
struct RecordHeaders {
  std::string id;          // ce_id
  std::string type;        // ce_type, e.g. task.submitted
  int schema_version = 1;  // of `type`, 1 or more
  std::string subject;     // ce_subject, e.g. task/4161
  std::int64_t time_ms = 0;
  std::string actor;         // who wished it, e.g. user/7
  std::string request_id;    // of the request that carried the command
  std::string causation_id;  // id of the event that caused the command
  std::string traceparent;   // W3C trace context
  std::string idempotency;   // the key that the caller gave
  bool operator==(const RecordHeaders&) const = default;
};

struct NewRecord {
  RecordHeaders headers;
  std::string data;  // JSON
};

struct Record {
  Position position;
  RecordHeaders headers;
  std::string data;  // JSON, byte for byte as appended
  Hash chain{};      // SHA-256 of the previous record's chain and of this record's bytes
  bool last_of_command = false;
  bool operator==(const Record&) const = default;
};

}  // namespace annolog::eventstore

template <>
struct std::hash<annolog::eventstore::ShardId> {
  std::size_t operator()(annolog::eventstore::ShardId shard) const noexcept { return shard.value; }
};
