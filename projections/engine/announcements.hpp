// Tells listeners of committed events: in the order of each shard, each at most once per process,
// also those that the database got without this projector. One thread.
#pragma once

#include <vector>

#include "platform/log.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/log_reader.hpp"
#include "projections/engine/projector.hpp"

namespace annolog::projections {

class Announcements {
 public:
  Announcements(std::uint16_t shards, platform::Logger& logger)
      : logger_(logger), announced_(shards) {}

  void add(CommitListener listener) { listeners_.push_back(std::move(listener)); }
  // What listeners know already; else what there is when catch_up() is first called, which is
  // nobody's news then.
  void begin_behind(const Positions& known);
  void announce(const ReadBatch& batch);
  // What `reader` gives up to `reached` and was not announced.
  void catch_up(const Positions& reached, LogReader reader);

 private:
  platform::Logger& logger_;
  std::vector<CommitListener> listeners_;
  Positions announced_;
  bool has_begun_ = false;
};

}  // namespace annolog::projections
