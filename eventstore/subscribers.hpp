// The callbacks that a log tells its new ends to. Any thread; see EndCallback for what a callback
// may do.
#pragma once

#include <memory>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

class Subscribers {
 public:
  Subscribers();
  std::unique_ptr<Subscription> add(EndCallback callback);
  void tell(ShardId shard, Offset end) const;

 private:
  struct List;
  class Entry;
  std::shared_ptr<List> list_;  // shared: a subscription may outlive the log
};

}  // namespace annolog::eventstore
