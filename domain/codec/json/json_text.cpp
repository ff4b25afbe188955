// The parts of the JSON writer and reader that depend on no type.
#include <cmath>

#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"
#include "domain/codec/json/utf8.hpp"

namespace annolog::codec {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

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

}  // namespace

void write_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  std::size_t at = 0;
  const auto flush = [&] { out.append(text.substr(copied, at - copied)); };
  while (at < text.size()) {
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

nlohmann::json parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw CodecError("", error.what());
  }
}

namespace detail {

std::int64_t read_int64(const nlohmann::json& value, const JsonPath& at) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (!std::in_range<std::int64_t>(number)) at.fail("integer out of range");
    return static_cast<std::int64_t>(number);
  }
  if (!value.is_number_integer()) at.fail("expected an integer");
  return value.get<std::int64_t>();
}

std::uint64_t read_uint64(const nlohmann::json& value, const JsonPath& at) {
  if (!value.is_number_unsigned()) at.fail("expected an integer from 0 on");
  return value.get<std::uint64_t>();
}

double read_double(const nlohmann::json& value, const JsonPath& at) {
  if (!value.is_number()) at.fail("expected a number");
  return value.get<double>();
}

const std::string& read_string(const nlohmann::json& value, const JsonPath& at) {
  if (!value.is_string()) at.fail("expected a string");
  return value.get_ref<const std::string&>();
}

Timestamp read_timestamp(const nlohmann::json& value, const JsonPath& at) {
  const auto time = from_rfc3339(read_string(value, at));
  if (!time) at.fail("expected an RFC 3339 time");
  return *time;
}

}  // namespace detail
}  // namespace annolog::codec
