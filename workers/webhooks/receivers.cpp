#include "workers/webhooks/receivers.hpp"

#include <algorithm>

namespace annolog::workers {
namespace {

constexpr std::int64_t kSoonMs = 1'000;

// Of a share, which is never less than one.
std::size_t left_of(std::size_t share, std::size_t busy) {
  const std::size_t most = std::max<std::size_t>(share, 1);
  return most - std::min(most, busy);
}

}  // namespace

void Receivers::began(WebhookId id) {
  ++known_[id.value].busy;
  ++busy_;
}

void Receivers::ended(WebhookId id, std::int64_t took_ms) {
  Receiver& receiver = known_[id.value];
  --receiver.busy;
  --busy_;
  receiver.kind = took_ms <= kSoonMs ? Kind::quick : Kind::slow;
}

void Receivers::all_ended() {
  for (auto& [id, receiver] : known_) receiver.busy = 0;
  busy_ = 0;
}

void Receivers::keep(std::span<const WebhookId> active) {
  std::erase_if(known_, [&](const auto& known) {
    return known.second.busy == 0 &&
           std::ranges::find(active, WebhookId{known.first}) == active.end();
  });
}

Receivers::Receiver Receivers::of(WebhookId id) const {
  const auto found = known_.find(id.value);
  return found == known_.end() ? Receiver{} : found->second;
}

// Those too that are active no more.
std::size_t Receivers::busy_with(Kind kind) const {
  std::size_t busy = 0;
  for (const auto& [id, receiver] : known_)
    if (receiver.kind == kind) busy += receiver.busy;
  return busy;
}

Receivers::Room Receivers::room(std::span<const WebhookId> active, Kind kind) const {
  Room room;
  const std::size_t most = kind == Kind::unheard ? 1 : each_;
  for (const WebhookId id : active) {
    const Receiver receiver = of(id);
    if (receiver.kind == kind && receiver.busy < most)
      room.limits.push_back({id, static_cast<std::int64_t>(most - receiver.busy)});
  }
  const std::size_t slow = busy_with(Kind::slow);
  room.most = left_of(connections_, busy_);
  if (kind != Kind::quick)
    room.most = std::min(room.most, left_of(connections_ * 3 / 4, slow + busy_with(Kind::unheard)));
  if (kind == Kind::slow) room.most = std::min(room.most, left_of(connections_ / 2, slow));
  return room;
}

}  // namespace annolog::workers
