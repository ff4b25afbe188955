#include "eventstore/record_codec.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace annolog::eventstore {
namespace {

constexpr std::uint8_t kLastOfCommand = 1;
constexpr std::uint8_t kKnownFlags = kLastOfCommand;

void put_varint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

void put_text(std::string_view text, std::string& out) {
  put_varint(text.size(), out);
  out.append(text);
}

// Small for times on both sides of 1970.
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

// Reads from the front; once something is wrong, ok() stays false and reads give nothing.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  std::uint8_t byte() {
    if (rest_.empty()) return fail();
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      if (!ok_ || (shift == 63 && part > 1)) return fail();
      value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
      if (part < 0x80) return part == 0 && shift > 0 ? fail() : value;  // shortest form only
    }
    return fail();
  }

  std::string text() {
    const std::uint64_t size = varint();
    if (!ok_ || size > rest_.size()) {
      fail();
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::uint8_t fail() {
    ok_ = false;
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

void encode_record(const RecordHeaders& headers, std::string_view data, bool last_of_command,
                   std::string& out) {
  if (headers.schema_version < 1) throw std::invalid_argument("a schema version is 1 or more");
  out.push_back(static_cast<char>(kRecordFormat));
  out.push_back(static_cast<char>(last_of_command ? kLastOfCommand : 0));
  put_varint(static_cast<std::uint64_t>(headers.schema_version), out);
  put_varint(zigzag(headers.time_ms), out);
  put_text(headers.id, out);
  put_text(headers.type, out);
  put_text(headers.subject, out);
  put_text(headers.actor, out);
  put_text(headers.request_id, out);
  put_text(headers.causation_id, out);
  put_text(headers.traceparent, out);
  put_text(headers.idempotency, out);
  put_text(data, out);
}

std::optional<DecodedRecord> decode_record(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.byte() != kRecordFormat) return std::nullopt;
  const std::uint8_t flags = reader.byte();
  if ((flags & ~kKnownFlags) != 0) return std::nullopt;
  DecodedRecord record;
  record.last_of_command = (flags & kLastOfCommand) != 0;
  const std::uint64_t schema_version = reader.varint();
  if (schema_version < 1 || schema_version > std::numeric_limits<int>::max()) return std::nullopt;
  RecordHeaders& headers = record.headers;
  headers.schema_version = static_cast<int>(schema_version);
  headers.time_ms = unzigzag(reader.varint());
  headers.id = reader.text();
  headers.type = reader.text();
  headers.subject = reader.text();
  headers.actor = reader.text();
  headers.request_id = reader.text();
  headers.causation_id = reader.text();
  headers.traceparent = reader.text();
  headers.idempotency = reader.text();
  record.data = reader.text();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return record;
}

std::optional<StoredRecord> split_stored(std::string_view stored) {
  constexpr std::size_t kChainSize = std::tuple_size_v<Hash>;
  if (stored.size() <= kChainSize) return std::nullopt;
  StoredRecord parts;
  parts.encoding = stored.substr(0, stored.size() - kChainSize);
  const std::string_view chain = stored.substr(parts.encoding.size());
  std::transform(chain.begin(), chain.end(), parts.chain.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  return parts;
}

std::size_t stored_size_estimate(const NewRecord& record) {
  constexpr std::size_t kFixed = 64;  // flags, lengths, time, chain
  const RecordHeaders& h = record.headers;
  return kFixed + h.id.size() + h.type.size() + h.subject.size() + h.actor.size() +
         h.request_id.size() + h.causation_id.size() + h.traceparent.size() + h.idempotency.size() +
         record.data.size();
}

}  // namespace annolog::eventstore
