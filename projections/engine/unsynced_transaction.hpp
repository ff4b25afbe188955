// What a transaction begins and ends with, for a pipeline, whose commit doesn't wait for
// PostgreSQL's disk: what is lost with its last moments is lost with its checkpoint, too, and done
// again.
#pragma once

#include "projections/pg/connection.hpp"

namespace annolog::projections {

inline constexpr Statement kBegin{"begin", "BEGIN"};
inline constexpr Statement kDontWait{"dont_wait", "SET LOCAL synchronous_commit = off"};
inline constexpr Statement kCommit{"commit", "COMMIT"};

}  // namespace annolog::projections
