// What a domain event is told as to webhooks (domain/webhook/catalogue.hpp): names, data and
// envelopes. Ids and no names of persons: what has gone out no erasure brings back. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"

namespace annolog::projections {

// Display numbers by id, of what the events speak of; what was removed meanwhile has none.
struct DisplayNumbers {
  std::unordered_map<std::int64_t, std::int64_t> tasks;
  std::unordered_map<std::int64_t, std::int64_t> batches;
};

// Which numbers outbound_of() will look for.
void add_named(const Event& event, std::vector<TaskId>& tasks, std::vector<BatchId>& batches);

struct Outbound {
  std::string_view event;
  std::string lane;  // what it happened to: its deliveries keep their order
  std::string data;  // JSON object
};

// In an order that stays, as the index is part of the delivery's id.
std::vector<Outbound> outbound_of(const Event& event, const Happened& how,
                                  const DisplayNumbers& numbers);
Outbound ping(const WebhookTested& event, const Happened& how);

// The project that the event belongs to.
std::optional<ProjectId> project_of(const Event& event);

std::string envelope(const Outbound& outbound, std::string_view delivery_id, Timestamp occurred_at);

}  // namespace annolog::projections
