// The read models of an installation at work, made by SQL: what plans depend on.
#pragma once

#include "tests/integration/projections/database.hpp"

namespace annolog::projections::testing {

// Two projects that have three quarters of so many tasks, 2,000 small ones, three boxes a task, and
// people to match. The tables are empty before; analyzed, with their indexes, afterwards.
void populate(const Database& database, int tasks);

}  // namespace annolog::projections::testing
