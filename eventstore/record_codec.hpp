// Records as bytes, version 1: flags, schema version, time, headers and data, each text with its
// length before it. One record has one encoding, so the hash chain is over the meaning. The chain
// hash follows the encoding in what is stored. Pure; any thread. Source: docs/log-format.md,
// "Record"; golden file tests/golden/log/record.v1.hex.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

inline constexpr std::uint8_t kRecordFormat = 1;

// Appends the encoding to `out`. Throws std::invalid_argument for a schema_version below 1.
void encode_record(const RecordHeaders& headers, std::string_view data, bool last_of_command,
                   std::string& out);

struct DecodedRecord {
  RecordHeaders headers;
  std::string data;
  bool last_of_command = false;
};
// nullopt: not an encoding that encode_record could have made.
std::optional<DecodedRecord> decode_record(std::string_view bytes);

// Stored form: encoding, then 32 bytes of chain. The first part alone, or nullopt when too short.
struct StoredRecord {
  std::string_view encoding;
  Hash chain{};
};
std::optional<StoredRecord> split_stored(std::string_view stored);

// How many bytes the stored form takes, within a few.
std::size_t stored_size_estimate(const NewRecord& record);

}  // namespace annolog::eventstore
