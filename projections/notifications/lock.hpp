// Who writes the notifications of some people holds them meanwhile: rows come from all shards and
// marks from the directory's, which may be two projectors' (and the tidier is a third): without it
// a mark could miss a row that is on its way, and counters could be taken in two orders. First
// statement of each.
#pragma once

#include "projections/pg/connection.hpp"

namespace annolog::projections {

// Under "noti", in one order for all. People of the same remainder share a lock, which does no
// harm.
inline constexpr Statement kLockNotificationsOf{"notifications_lock", R"sql(
SELECT pg_advisory_xact_lock(1852798057, key) FROM (
  SELECT DISTINCT (u.id % 2147483647)::integer AS key FROM unnest($1::bigint[]) AS u(id)
  ORDER BY 1) keys
)sql"};

template <class People>
Params people_params(const People& people) {
  Params params;
  add_column(params, PgType::int8, people, [](const auto& id) { return id.value; });
  return params;
}

}  // namespace annolog::projections
