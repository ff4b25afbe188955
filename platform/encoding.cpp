#include "platform/encoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace annolog::platform {
namespace {

constexpr std::string_view kUrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kStandardAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::array<std::int8_t, 256> kUrlValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kUrlAlphabet.size(); ++i) {
    values[static_cast<std::uint8_t>(kUrlAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

// The text without padding.
std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3 + 2);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<std::uint8_t>(c);
    bit_count += 8;
    while (bit_count >= 6) {
      bit_count -= 6;
      text.push_back(alphabet[(bits >> bit_count) & 63]);
    }
  }
  if (bit_count > 0) text.push_back(alphabet[(bits << (6 - bit_count)) & 63]);
  return text;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string text(bytes.size() * 2, '\0');
  char* next = text.data();
  for (const char c : bytes) {
    *next++ = kHexDigits[static_cast<std::uint8_t>(c) >> 4];
    *next++ = kHexDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string to_base64url(std::string_view bytes) { return encode(bytes, kUrlAlphabet); }

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const int value = kUrlValues[static_cast<std::uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      bytes.push_back(static_cast<char>((bits >> bit_count) & 255));
    }
  }
  // Bits left over must be zero, else several texts would stand for the same bytes.
  if ((bits & ((1U << bit_count) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text = encode(bytes, kStandardAlphabet);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

}  // namespace annolog::platform
