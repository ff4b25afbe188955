#include "api/http/tracing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

namespace annolog::http {
namespace {

void append_random_hex(std::string& out, int words) {
  thread_local std::mt19937_64 engine{[] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }()};
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int i = 0; i < words; ++i) {
    std::uint64_t bits = engine();
    std::array<char, 16> digits;
    for (char& digit : digits) {
      digit = kDigits[bits & 15];
      bits >>= 4;
    }
    out.append(digits.data(), digits.size());
  }
}

bool is_sane_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool all_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// version "-" trace-id "-" parent-id "-" flags; later versions may have more behind.
bool is_traceparent(std::string_view text) {
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  if (!is_hex(version) || version == "ff") return false;
  if (version == "00" ? text.size() != 55 : (text.size() > 55 && text[55] != '-')) return false;
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  return is_hex(trace) && is_hex(parent) && is_hex(text.substr(53, 2)) && !all_zero(trace) &&
         !all_zero(parent);
}

}  // namespace

std::string request_id_from(std::optional<std::string_view> header) {
  if (header && !header->empty() && header->size() <= 128 &&
      std::all_of(header->begin(), header->end(), is_sane_id_character)) {
    return std::string(*header);
  }
  std::string id;
  append_random_hex(id, 2);
  return id;
}

std::string traceparent_from(std::optional<std::string_view> header) {
  std::string own = "00-";
  if (header && is_traceparent(*header)) {
    own += header->substr(3, 32);
    own += '-';
    append_random_hex(own, 1);
    own += '-';
    own += header->substr(53, 2);
  } else {
    append_random_hex(own, 2);
    own += '-';
    append_random_hex(own, 1);
    own += "-01";
  }
  return own;
}

}  // namespace annolog::http
