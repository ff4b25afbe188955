// Who may change a dataset (decisions, "Who may do what"). For deciders only.
#pragma once

#include <string>

#include "domain/dataset/state.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/result.hpp"

namespace annolog {

inline Result<void> require_owner(const DatasetState& state, const Context& context) {
  if (!state.exists()) return not_found("dataset");
  if (context.actor != state.creator_id && context.role != Role::super_admin) {
    return forbidden(std::string("creator of the dataset, or super_admin"));
  }
  return success();
}

}  // namespace annolog
