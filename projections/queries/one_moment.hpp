// Reads of one moment that know how far the read models were then: what PostgreSQL lost in a crash,
// and is on its way again, is not passed over as if it were nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "eventstore/record.hpp"
#include "projections/pg/connection.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// `read` may run twice, each time in a transaction of its own, whose statements see one snapshot.
void in_one_moment(ReadPool& pool, const char* settings,
                   const std::function<void(PgConnection&)>& read);

// Where the live read models are, by shard; in the caller's transaction.
std::vector<eventstore::Position> reached_on(PgConnection& connection);
// Throws ReadUnavailable when they are not there yet: not again, or not as far as this node heard.
void require_reached(PgConnection& connection, const std::vector<eventstore::Position>& wanted);

}  // namespace annolog::projections
