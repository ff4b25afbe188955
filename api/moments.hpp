// A moment of the past as clients name it: a time, or the position that a write was answered with
// (decisions, section 5, "as_of"; docs/decisions/0019).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/schema_rules.hpp"
#include "api/work.hpp"
#include "projections/history/queries.hpp"

namespace annolog::api {

// Clocks of clients and of other nodes may run ahead by so much.
inline constexpr std::int64_t kAheadMs = 60'000;

struct Moment {
  projections::Until until;
  std::optional<Timestamp> time;  // absent: a position, or now
  bool is_now = true;
};

// Reads the query's `field`, absent: now. `id` is of the thing that is asked for: a position must
// be one of its shard, and is waited for. 422 names what is allowed.
awaitable<Result<Moment>> moment_of(Call& call, Services& services, const char* field,
                                    const std::optional<std::string>& text, std::int64_t id);

// For SchemaRules of queries.
void moment_rule(http::ObjectRules& rules, std::string_view field, std::string_view what);

}  // namespace annolog::api
