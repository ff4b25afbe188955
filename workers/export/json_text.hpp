// JSON written piece by piece into a string. Pure; any thread. RFC 8259.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/attributes.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::workers {

// A quoted string; bytes that are not UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, std::int64_t number);
// The shortest text that reads back as the same double; null when it is not finite.
void append_json(std::string& out, double number);
void append_json(std::string& out, bool value);
void append_json(std::string& out, Timestamp at);
void append_json(std::string& out, const Attributes& attributes);
template <class Tag>
void append_json(std::string& out, Id<Tag> id) {
  append_json(out, id.value);
}
// Not converted to bool by accident.
void append_json(std::string& out, const char* text) = delete;

template <class T>
void append_json(std::string& out, const std::optional<T>& value) {
  if (value) append_json(out, *value);
  else out += "null";
}

// `"key":value`, for use after an opening brace or a comma that the caller wrote. `key` is a plain
// word that needs no escapes.
template <class T>
void append_member(std::string& out, std::string_view key, const T& value) {
  out += '"';
  out += key;
  out += "\":";
  append_json(out, value);
}

}  // namespace annolog::workers
