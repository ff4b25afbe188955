// The parts of the JSON writer and reader that depend on no type.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"
#include "domain/codec/json/utf8.hpp"

namespace annolog::codec {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::uint64_t each_byte(std::uint64_t byte) { return byte * 0x0101'0101'0101'0101; }

// The highest bit of each byte below `limit`, and of some bytes above such a one. For ASCII.
constexpr std::uint64_t below(std::uint64_t bytes, std::uint64_t limit) {
  return (bytes - each_byte(limit)) & ~bytes & each_byte(0x80);
}

// Whether the next eight bytes are printable ASCII that stands for itself in JSON.
bool are_plain(const char* next) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, next, sizeof bytes);
  return ((bytes & each_byte(0x80)) | below(bytes, 0x20) | below(bytes ^ each_byte('"'), 1) |
          below(bytes ^ each_byte('\\'), 1)) == 0;
}

void write_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += kHexDigits[c >> 4];
      out += kHexDigits[c & 15];
  }
}

template <class T>
T expected(const std::optional<T>& read, const char* what, const JsonPath& at) {
  if (!read) at.fail(what);
  return *read;
}

}  // namespace

void write_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  std::size_t at = 0;
  const auto flush = [&] { out.append(text.substr(copied, at - copied)); };
  while (at < text.size()) {
    if (text.size() - at >= sizeof(std::uint64_t) && are_plain(text.data() + at)) {
      at += sizeof(std::uint64_t);
      continue;
    }
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
      ++at;
      continue;
    }
    if (c >= 0x80) {
      const std::size_t length = utf8_sequence_length(text.substr(at));
      if (length == 0) {
        flush();
        out += "\xEF\xBF\xBD";
        copied = ++at;
      } else {
        at += length;
      }
      continue;
    }
    flush();
    write_escape(out, c);
    copied = ++at;
  }
  flush();
  out += '"';
}

void write_json_double(std::string& out, double value) {
  if (!std::isfinite(value)) throw CodecError("", "a number that is not finite");
  if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // "-0" would read back as the integer 0
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

namespace detail {

bool read_bool(const JsonValue& value, const JsonPath& at) {
  return expected(value.as_bool(), "expected true or false", at);
}

std::int64_t read_int64(const JsonValue& value, const JsonPath& at) {
  const auto number = value.as_int64();
  if (!number && value.is_integer()) at.fail("integer out of range");
  return expected(number, "expected an integer", at);
}

std::uint64_t read_uint64(const JsonValue& value, const JsonPath& at) {
  return expected(value.as_uint64(), "expected an integer from 0 on", at);
}

double read_double(const JsonValue& value, const JsonPath& at) {
  return expected(value.as_double(), "expected a number", at);
}

std::string_view read_string(const JsonValue& value, const JsonPath& at) {
  return expected(value.as_string(), "expected a string", at);
}

Timestamp read_timestamp(const JsonValue& value, const JsonPath& at) {
  return expected(from_rfc3339(read_string(value, at)), "expected an RFC 3339 time", at);
}

}  // namespace detail
}  // namespace annolog::codec
