// Rows of many ids below one prefix. Ids that were given one after another lie side by side, so
// that it costs less to walk from each to the next than to look each up. One thread.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "commands/state/key.hpp"
#include "domain/support/ids.hpp"
#include "eventstore/state.hpp"

namespace annolog::commands {

// Visits the rows that are there, in the order of `ids`, which may be any and is fastest where they
// ascend. The keys are the prefix and the id.
void each_near_row(const eventstore::StateView& store, const Key& prefix,
                   std::span<const ItemId> ids,
                   const std::function<void(ItemId, std::string_view value)>& visit);

}  // namespace annolog::commands
