#include "api/http/etag.hpp"

#include <algorithm>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {
namespace {

DomainError malformed_if_match() {
  return {DomainError::Kind::bad_request,
          "MALFORMED_IF_MATCH",
          "If-Match must be * or a list of quoted entity tags.",
          {},
          {},
          0};
}

// Takes one entity tag off `rest`; nullopt when there is none.
struct EntityTag {
  std::string_view opaque;
  bool weak = false;
};
std::optional<EntityTag> take_tag(std::string_view& rest) {
  EntityTag tag;
  if (rest.starts_with("W/")) {
    tag.weak = true;
    rest.remove_prefix(2);
  }
  if (rest.empty() || rest.front() != '"') return std::nullopt;
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  tag.opaque = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return tag;
}

}  // namespace

Result<IfMatch> IfMatch::parse(std::optional<std::string_view> header) {
  IfMatch match;
  if (!header) return match;
  match.present_ = true;
  std::string_view rest = trim(*header);
  if (rest == "*") {
    match.any_ = true;
    return match;
  }
  while (true) {
    const auto tag = take_tag(rest);
    if (!tag) return malformed_if_match();
    if (!tag->weak) match.strong_tags_.emplace_back(tag->opaque);
    rest = trim(rest);
    if (rest.empty()) return match;
    if (rest.front() != ',') return malformed_if_match();
    rest = trim(rest.substr(1));
  }
}

bool IfMatch::allows(std::int64_t version) const {
  if (!present_ || any_) return true;
  return std::find(strong_tags_.begin(), strong_tags_.end(), std::to_string(version)) !=
         strong_tags_.end();
}

std::optional<std::vector<std::int64_t>> IfMatch::versions() const {
  if (!present_ || any_) return std::nullopt;
  std::vector<std::int64_t> versions;
  for (const auto& tag : strong_tags_) {
    const auto number = number_from<std::uint64_t>(tag);
    // A version has one spelling, as allows() has it: "07" is a foreign tag.
    if (number && *number <= (std::uint64_t{1} << 53) && std::to_string(*number) == tag) {
      versions.push_back(static_cast<std::int64_t>(*number));
    }
  }
  return versions;
}

Result<void> IfMatch::check(std::int64_t version) const {
  if (allows(version)) return success();
  return DomainError{DomainError::Kind::precondition_failed,
                     "PRECONDITION_FAILED",
                     "The resource has changed: If-Match names another version.",
                     {{"current_version", version}},
                     {},
                     0};
}

Result<std::optional<std::string>> parse_idempotency_key(std::optional<std::string_view> header) {
  if (!header) return std::optional<std::string>();
  const bool printable =
      std::all_of(header->begin(), header->end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (header->empty() || header->size() > 128 || !printable) {
    return validation_error({{{std::string("header"), std::string("Idempotency-Key")},
                              "must be 1 to 128 printable characters",
                              "invalid_idempotency_key"}});
  }
  return std::optional<std::string>(*header);
}

}  // namespace annolog::http
