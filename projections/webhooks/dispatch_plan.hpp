// From events to deliveries: which webhooks are told of what. One for each look at the webhooks;
// plain values, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "eventstore/record.hpp"
#include "projections/webhooks/delivery_store.hpp"
#include "projections/webhooks/known_webhooks.hpp"
#include "projections/webhooks/outbound.hpp"

namespace annolog::projections {

class DispatchPlan {
 public:
  DispatchPlan(const WebhookTargets& targets, std::uint16_t shard_count);

  // Whether anybody may be told of what happens in the shard.
  bool concerns(eventstore::ShardId shard) const { return shards_.contains(shard.value); }
  // Whether events of the type mean anything here; others need not be decoded.
  bool wants(std::string_view type) const { return types_.contains(type); }

  // Adds what the event means. True: what follows must come after the batch is applied.
  bool add(const Event& event, const Happened& how, eventstore::Position at,
           const DisplayNumbers& numbers, DispatchBatch& batch) const;

 private:
  bool was_there(const WebhookTarget& target, eventstore::Position at, Timestamp when) const;
  eventstore::ShardId shard_of(std::int64_t id) const;
  const WebhookTarget* active(WebhookId id) const;
  void add_outbound(const Event& event, const Happened& how, eventstore::Position at,
                    const DisplayNumbers& numbers, DispatchBatch& batch) const;
  void add_ping(const WebhookTested& event, const Happened& how, eventstore::Position at,
                DispatchBatch& batch) const;

  const WebhookTargets& targets_;
  std::uint16_t shard_count_;
  std::unordered_set<std::uint16_t> shards_;
  std::unordered_set<std::string_view> types_;
};

}  // namespace annolog::projections
