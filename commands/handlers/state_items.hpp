// A dataset's items as the shard's state has them.
#pragma once

#include "commands/state/shard_state.hpp"
#include "domain/dataset/commands.hpp"

namespace annolog::commands {

class StateItems final : public ItemLookup {
 public:
  explicit StateItems(const ShardState& state) : state_(state) {}
  ItemState find(ItemId id) override { return state_.item(id); }

 private:
  const ShardState& state_;
};

}  // namespace annolog::commands
