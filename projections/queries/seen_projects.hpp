// Which projects the one who asks may see: what is of no other is left out of an answer, within the
// statement. Plain values.
#pragma once

#include <span>
#include <vector>

#include "domain/support/ids.hpp"
#include "projections/pg/params.hpp"

namespace annolog::projections {

struct SeenProjects {
  bool all = false;            // whatever there is; `ids` is not looked at
  std::vector<ProjectId> ids;  // in order
};

inline void add_ids(Params& params, std::span<const ProjectId> ids) {
  add_column(params, PgType::int8, ids, [](ProjectId id) { return id.value; });
}

}  // namespace annolog::projections
