// Query parameters that lists share, and their cursors: signed, and bound to caller, path and
// filters, so that a cursor of another list is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "api/http/call.hpp"
#include "api/http/cursor.hpp"
#include "api/http/schema_rules.hpp"
#include "api/services.hpp"
#include "projections/queries/page.hpp"

namespace annolog::api {

inline constexpr std::int64_t kDefaultLimit = 50;
inline constexpr std::int64_t kMaxLimit = 200;

// What a cursor is bound to: everything of the request but cursor and limit, however it is spelled.
std::string list_fingerprint(const http::Call& call);

// The id after which the page starts, when a cursor was sent.
Result<std::optional<std::int64_t>> cursor_id(const http::Call& call, const Services& services,
                                              const std::optional<std::string>& cursor);
template <class IdType>
std::optional<std::string> next_cursor(const http::Call& call, const Services& services,
                                       const std::optional<IdType>& next) {
  if (!next) return std::nullopt;
  return services.cursors.encode(list_fingerprint(call), std::to_string(next->value));
}

// Of lists in order of time; cursor text: "<ms>-<id>".
Result<std::optional<projections::TimeCursor>> cursor_time(
    const http::Call& call, const Services& services, const std::optional<std::string>& cursor);
std::optional<std::string> next_cursor(const http::Call& call, const Services& services,
                                       const std::optional<projections::TimeCursor>& next);

// For SchemaRules of list queries.
void limit_rule(http::ObjectRules& rules, std::int64_t most = kMaxLimit);
// For lists that have no past: who asks for it is not given the present.
void refuse_moment(const std::optional<std::string>& as_of, std::vector<FieldError>& errors);

// Of lists without filters.
struct PageQuery {
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::PageQuery> {
  static void apply(ObjectRules& rules) { api::limit_rule(rules); }
};

}  // namespace annolog::http
