#include "workers/export/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "domain/support/overloaded.hpp"
#include "platform/json_text.hpp"

namespace annolog::workers {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  // Most names are plain: one look and one copy.
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
  if (!plain) return platform::append_json_string(out, text);
  out += '"';
  out += text;
  out += '"';
}

void append_json(std::string& out, std::int64_t number) { append_number(out, number); }

void append_json(std::string& out, double number) {
  if (std::isfinite(number)) append_number(out, number);
  else out += "null";
}

void append_json(std::string& out, bool value) { out += value ? "true" : "false"; }

void append_json(std::string& out, Timestamp at) { append_json(out, to_rfc3339(at)); }

void append_json(std::string& out, const Attributes& attributes) {
  const auto list = [&](const std::vector<std::string>& items) {
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      append_json(out, items[i]);
    }
    out += ']';
  };
  char before = '{';
  for (const auto& [key, value] : attributes) {
    out += std::exchange(before, ',');
    append_json(out, key);
    out += ':';
    std::visit(overloaded{[&](std::nullptr_t) { out += "null"; }, list,
                          [&](const auto& single) { append_json(out, single); }},
               value);
  }
  if (attributes.empty()) out += '{';
  out += '}';
}

}  // namespace annolog::workers
