#include "domain/codec/json/raw_members.hpp"

#include <string>

#include "domain/codec/json/codec_error.hpp"

namespace annolog::codec {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw CodecError({}, what); }

bool is_structural(char c) {
  switch (c) {
    case '"':
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',': return true;
    default: return false;
  }
}

bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t backslashes = 0;
  while (at > backslashes && text[at - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 != 0;
}

// Behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  std::size_t quote = at;
  do {
    quote = text.find('"', quote + 1);
    if (quote == std::string_view::npos) refuse("a text without an end");
  } while (is_escaped(text, quote));
  return quote + 1;
}

// Behind the array or object that begins at `at`.
std::size_t nested_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  refuse("a value without an end");
}

// Behind the value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '"') return string_end(text, at);
  if (at < text.size() && (text[at] == '{' || text[at] == '[')) return nested_end(text, at);
  std::size_t end = at;
  while (end < text.size() && !is_structural(text[end])) ++end;
  if (end == text.size() || end == at) refuse("expected a value");
  return end;
}

}  // namespace

RawMembers::RawMembers(std::string_view object) {
  if (object.size() < 2 || object.front() != '{' || object.back() != '}')
    refuse("expected an object");
  if (object.size() == 2) return;
  std::size_t at = 1;
  for (;;) {
    if (at >= object.size() || object[at] != '"') refuse("expected a member");
    const std::size_t colon = string_end(object, at);
    if (colon >= object.size() || object[colon] != ':') refuse("expected a value");
    const std::size_t end = value_end(object, colon + 1);
    all_.push_back(
        {object.substr(at + 1, colon - at - 2), object.substr(colon + 1, end - colon - 1)});
    if (end + 1 == object.size()) return;
    if (object[end] != ',') refuse("expected the end");
    at = end + 1;
  }
}

std::optional<std::string_view> RawMembers::find(std::string_view name) {
  for (std::size_t tried = 0; tried < all_.size(); ++tried) {
    if (next_ == all_.size()) next_ = 0;
    const Member& member = all_[next_++];
    if (member.name == name) return member.value;
  }
  return std::nullopt;
}

std::string_view RawMembers::at(std::string_view name) {
  const auto found = find(name);
  if (!found) refuse(std::string(name) + " is missing");
  return *found;
}

}  // namespace annolog::codec
