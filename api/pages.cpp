#include "api/pages.hpp"

#include <charconv>

namespace annolog::api {
namespace {

// The query string without cursor and limit, which may differ from page to page.
std::string bound_query(std::string_view query) {
  std::string kept;
  while (!query.empty()) {
    const auto end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (!part.starts_with("cursor=") && !part.starts_with("limit=")) {
      kept += part;
      kept += '&';
    }
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return kept;
}

}  // namespace

std::string list_fingerprint(const http::Call& call) {
  std::string text(call.head().path);
  text += '?';
  text += bound_query(call.head().query);
  text += '#';
  text += std::to_string(call.caller().id.value);
  return text;
}

Result<std::optional<std::int64_t>> cursor_id(const http::Call& call, const Services& services,
                                              const std::optional<std::string>& cursor) {
  if (!cursor) return std::optional<std::int64_t>();
  BOOST_OUTCOME_TRY(auto text, services.cursors.decode(list_fingerprint(call), *cursor));
  std::int64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return std::optional(id);
}

Result<std::optional<projections::TimeCursor>> cursor_time(
    const http::Call& call, const Services& services, const std::optional<std::string>& cursor) {
  if (!cursor) return std::optional<projections::TimeCursor>();
  BOOST_OUTCOME_TRY(auto text, services.cursors.decode(list_fingerprint(call), *cursor));
  projections::TimeCursor start;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, start.at.ms);
  if (error == std::errc{} && end != last) std::from_chars(end + 1, last, start.id);
  return std::optional(start);
}

std::optional<std::string> next_cursor(const http::Call& call, const Services& services,
                                       const std::optional<projections::TimeCursor>& next) {
  if (!next) return std::nullopt;
  return services.cursors.encode(list_fingerprint(call),
                                 std::to_string(next->at.ms) + "-" + std::to_string(next->id));
}

void limit_rule(http::ObjectRules& rules, std::int64_t most) {
  rules.field("limit").range(1, static_cast<double>(most)).defaulted();
  rules.field("cursor").length(1, 4096).describe("next_cursor of the page before.");
}

}  // namespace annolog::api
