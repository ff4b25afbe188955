#include "platform/objects/object_key.hpp"

#include <optional>

#include "platform/json_text.hpp"

namespace annolog::platform {
namespace {

DomainError bad_key(std::string message) {
  return {DomainError::Kind::invalid, "INVALID_OBJECT_KEY", std::move(message), {}, {}, 0};
}

// C0, DEL, or C1 (U+0080..U+009F, which begin with 0xC2).
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  return character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
}

std::optional<std::string> character_fault(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string where = " at byte " + std::to_string(at) + ".";
    const std::size_t length = utf8_character_bytes(text.substr(at));
    if (length == 0) return "An object key must be valid UTF-8; it is not" + where;
    if (text[at] == '\0') return "An object key must not contain NUL; it does" + where;
    if (is_control(text.substr(at, length)))
      return "An object key must not contain control characters; it does" + where;
    if (text[at] == '\\') return "An object key must not contain a backslash; it does" + where;
    at += length;
  }
  return std::nullopt;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> segments;
  for (;;) {
    const std::size_t slash = text.find('/');
    segments.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    text.remove_prefix(slash + 1);
  }
}

}  // namespace

Result<ObjectKey> ObjectKey::parse(std::string_view text) {
  if (text.empty()) return bad_key("An object key must not be empty.");
  if (text.size() > kMaxBytes)
    return bad_key("An object key may have at most 1024 bytes; this one has " +
                   std::to_string(text.size()) + ".");
  if (auto fault = character_fault(text)) return bad_key(std::move(*fault));
  if (text.front() == '/') return bad_key("An object key is relative: it must not begin with /.");
  for (const std::string_view segment : split(text)) {
    if (segment.empty())
      return bad_key("An object key must not contain an empty segment (// or a / at its end).");
    if (segment == "." || segment == "..")
      return bad_key("An object key must not contain the segment \"" + std::string(segment) +
                     "\".");
    if (segment.size() > kMaxSegmentBytes)
      return bad_key("A segment of an object key may have at most 255 bytes; one has " +
                     std::to_string(segment.size()) + ".");
  }
  return ObjectKey(std::string(text));
}

std::vector<std::string_view> ObjectKey::segments() const { return split(text_); }

std::string_view ObjectKey::file_name() const {
  const std::string_view text = text_;
  return text.substr(text.rfind('/') + 1);  // npos + 1 is 0: the whole key
}

}  // namespace annolog::platform
