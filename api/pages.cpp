#include "api/pages.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::api {
namespace {

// What was asked for without cursor and limit, which may differ from page to page: the same however
// it is spelled. No text that came so far has a NUL in it.
std::string bound_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    std::string_view value = http::take_until(query, '&');
    auto name = http::percent_decode(http::take_until(value, '='), true).value_or("");
    if (name.empty() || name == "cursor" || name == "limit") continue;
    pairs.emplace_back(std::move(name), http::percent_decode(value, true).value_or(""));
  }
  std::ranges::sort(pairs);
  std::string kept;
  for (const auto& [name, value] : pairs) kept += name + '\0' + value + '\0';
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
  return std::optional(id_number(text));
}

Result<std::optional<projections::TimeCursor>> cursor_time(
    const http::Call& call, const Services& services, const std::optional<std::string>& cursor) {
  if (!cursor) return std::optional<projections::TimeCursor>();
  BOOST_OUTCOME_TRY(auto text, services.cursors.decode(list_fingerprint(call), *cursor));
  projections::TimeCursor start;
  std::string_view rest = text;
  start.at.ms = take_number<std::int64_t>(rest).value_or(0);
  if (!rest.empty()) start.id = id_number(rest.substr(1));
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

void refuse_moment(const std::optional<std::string>& as_of, std::vector<FieldError>& errors) {
  if (as_of)
    errors.push_back({{"as_of"}, "Is not taken here: this list shows what is now.", "conflict"});
}

}  // namespace annolog::api
