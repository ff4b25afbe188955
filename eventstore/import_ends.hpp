// The shards' ends during an import, which every adapter keeps. One thread.
#pragma once

#include <utility>
#include <vector>

#include "eventstore/record_import.hpp"

namespace annolog::eventstore {

class ImportEnds {
 public:
  explicit ImportEnds(std::vector<ShardEnd> ends) : ends_(std::move(ends)) {}

  const ShardEnd& of(ShardId shard) const { return ends_.at(shard.value); }
  // Throws std::logic_error when the record is not the next one of its shard.
  void move_to(const Record& record);

 private:
  std::vector<ShardEnd> ends_;
};

// Throws LogRefused unless both are the same log; `place` names the one that is there.
void require_same_log(const LogInfo& there, const LogInfo& wanted, const std::string& place);

}  // namespace annolog::eventstore
