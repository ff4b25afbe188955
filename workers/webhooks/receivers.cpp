#include "workers/webhooks/receivers.hpp"

#include <algorithm>

namespace annolog::workers {
namespace {

constexpr std::int64_t kSoonMs = 1'000;

}  // namespace

void Receivers::began(WebhookId id) {
  ++known_[id.value].busy;
  ++busy_;
}

void Receivers::ended(WebhookId id, std::int64_t took_ms) {
  Receiver& receiver = known_[id.value];
  --receiver.busy;
  --busy_;
  receiver.last = took_ms <= kSoonMs ? Last::soon : Last::late;
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

Receivers::Room Receivers::room(std::span<const WebhookId> active, Kind kind) const {
  Room room;
  std::size_t theirs = 0;
  for (const WebhookId id : active) {
    const Receiver receiver = of(id);
    if ((receiver.last == Last::late) != (kind == Kind::slow)) continue;
    theirs += receiver.busy;
    const std::size_t most = receiver.last == Last::unheard ? 1 : each_;
    if (receiver.busy < most)
      room.limits.push_back({id, static_cast<std::int64_t>(most - receiver.busy)});
  }
  const std::size_t left = connections_ - std::min(connections_, busy_);
  const std::size_t share = std::max<std::size_t>(1, connections_ / 2);
  room.most = kind == Kind::slow ? std::min(left, share - std::min(share, theirs)) : left;
  return room;
}

}  // namespace annolog::workers
