#include "projections/webhooks/dispatch_plan.hpp"

#include <algorithm>

#include "domain/support/overloaded.hpp"
#include "domain/webhook/catalogue.hpp"

namespace annolog::projections {
namespace {

constexpr std::uint16_t kDirectory = 0;
// Clocks of nodes differ: what another shard recorded so long before a webhook became active may
// have come after it.
constexpr std::int64_t kClockSlackMs = 1'000;

bool is_of(const WebhookTarget& target, std::optional<ProjectId> project) {
  return !target.project_id || target.project_id == project;
}

DeliveryId id_of(const WebhookTarget& target, eventstore::Position at, std::int64_t part) {
  return {target.id, at.shard.value, static_cast<std::int64_t>(at.offset.value), part};
}

NewDelivery delivery(const WebhookTarget& target, const DeliveryId& id, const Outbound& outbound,
                     Timestamp at) {
  return {id,
          target.project_id,
          std::string(outbound.event),
          outbound.lane,
          envelope(outbound, to_text(id), at),
          target.log_offset};
}

}  // namespace

DispatchPlan::DispatchPlan(const WebhookTargets& targets, std::uint16_t shard_count)
    : targets_(targets), shard_count_(shard_count) {
  types_ = {WebhookUpdated::kType, WebhookDisabled::kType,        WebhookDeleted::kType,
            WebhookTested::kType,  WebhookReplayRequested::kType, ProjectDeleted::kType};
  for (const WebhookTarget& target : targets) {
    if (!target.active) continue;
    for (const OutboundEvent& event : outbound_events()) {
      if (matches_any(target.events, event.name)) types_.insert(event.of);
    }
    if (target.project_id) {
      // Exports leave their trace in the directory (docs/decisions/0008).
      shards_.insert({shard_of(target.project_id->value).value, kDirectory});
    } else {
      for (std::uint16_t shard = 0; shard < shard_count; ++shard) shards_.insert(shard);
    }
  }
}

eventstore::ShardId DispatchPlan::shard_of(std::int64_t id) const {
  return eventstore::ShardId(static_cast<std::uint16_t>(id % shard_count_));
}

const WebhookTarget* DispatchPlan::active(WebhookId id) const {
  const auto found = std::ranges::find(targets_, id, &WebhookTarget::id);
  return found == targets_.end() || !found->active ? nullptr : &*found;
}

// Whenever it is looked at: a webhook gets what has happened since it became active.
bool DispatchPlan::was_there(const WebhookTarget& target, eventstore::Position at,
                             Timestamp when) const {
  if (shard_of(target.id.value) == at.shard)
    return static_cast<std::int64_t>(at.offset.value) > target.log_offset;
  return when + kClockSlackMs >= target.active_since;
}

void DispatchPlan::add_outbound(const Event& event, const Happened& how, eventstore::Position at,
                                const DisplayNumbers& numbers, DispatchBatch& batch) const {
  const auto project = project_of(event);
  std::vector<const WebhookTarget*> told;
  for (const WebhookTarget& target : targets_) {
    if (target.active && is_of(target, project) && was_there(target, at, how.at))
      told.push_back(&target);
  }
  if (told.empty()) return;
  const std::vector<Outbound> all = outbound_of(event, how, numbers);
  for (std::size_t part = 0; part < all.size(); ++part) {
    for (const WebhookTarget* target : told) {
      if (!matches_any(target->events, all[part].event)) continue;
      const DeliveryId id = id_of(*target, at, static_cast<std::int64_t>(part));
      batch.made.push_back(delivery(*target, id, all[part], how.at));
    }
  }
}

void DispatchPlan::add_ping(const WebhookTested& event, const Happened& how,
                            eventstore::Position at, DispatchBatch& batch) const {
  const WebhookTarget* target = active(event.webhook_id);
  if (target == nullptr) return;
  const DeliveryId id{target->id, at.shard.value, event.number, kPingPart};
  batch.made.push_back(delivery(*target, id, ping(event, how), how.at));
}

bool DispatchPlan::add(const Event& event, const Happened& how, eventstore::Position at,
                       const DisplayNumbers& numbers, DispatchBatch& batch) const {
  add_outbound(event, how, at, numbers, batch);
  const auto turn = [&](WebhookId id) {
    batch.turned.push_back({id, static_cast<std::int64_t>(at.offset.value)});
  };
  std::visit(overloaded{
                 [&](const WebhookTested& e) { add_ping(e, how, at, batch); },
                 [&](const WebhookReplayRequested& e) {
                   const auto id = delivery_id_from(e.delivery_id);
                   if (id && id->webhook_id == e.webhook_id) batch.replayed.push_back(*id);
                 },
                 [&](const WebhookUpdated& e) {
                   if (e.active) turn(e.webhook_id);
                 },
                 [&](const WebhookDisabled& e) { turn(e.webhook_id); },
                 [&](const WebhookDeleted& e) { turn(e.webhook_id); },
                 [&](const ProjectDeleted& e) { batch.ended_projects.push_back(e.project_id); },
                 [](const auto&) {},
             },
             event);
  return !batch.replayed.empty() || !batch.turned.empty() || !batch.ended_projects.empty();
}

}  // namespace annolog::projections
