// All webhooks, in memory: for those who make and send deliveries, which ask all the time. Read
// anew from the read model after a change, of which the read side tells before a reader may see it
// (changed()): who has waited for the read models gets what they show. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "domain/events.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/webhooks/queries.hpp"

namespace annolog::projections {

using WebhookTargets = std::vector<WebhookTarget>;

class KnownWebhooks {
 public:
  KnownWebhooks(ReadPool& reads, const ReadBarrier& barrier) : reads_(&reads), barrier_(&barrier) {}

  // The events that change them, and whether this is one.
  static std::unordered_set<std::string> types();
  static bool is_change(const Event& event);

  void changed(eventstore::Position at);
  // Blocking when there was a change. Throws ReadUnavailable.
  std::shared_ptr<const WebhookTargets> all();

 private:
  std::vector<eventstore::Position> shown_changes();

  ReadPool* reads_;
  const ReadBarrier* barrier_;
  std::mutex changes_mutex_;
  std::vector<eventstore::Position> changes_;  // that known_ may lack; guarded by changes_mutex_
  std::mutex mutex_;
  std::shared_ptr<const WebhookTargets> known_;
};

}  // namespace annolog::projections
