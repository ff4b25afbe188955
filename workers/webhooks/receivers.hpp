// How many connections each receiver of webhooks may have, so that those that hang leave room for
// the others. Those that were slow last, or silent, have half of all connections together; with
// those that nobody has heard of yet, which have one each, three quarters. The rest is for those
// that answered soon. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "projections/webhooks/delivery_store.hpp"

namespace annolog::workers {

class Receivers {
 public:
  enum class Kind { unheard, slow, quick };  // by what was heard last
  struct Room {
    std::vector<projections::ClaimLimit> limits;  // those that may have more, and how many each
    std::size_t most = 0;                         // together
  };

  // `each`: of one receiver.
  Receivers(std::size_t connections, std::size_t each) : connections_(connections), each_(each) {}

  void began(WebhookId id);
  void ended(WebhookId id, std::int64_t took_ms);
  // Nothing is under way any more.
  void all_ended();
  // What was heard of the others is forgotten, once nothing is under way to them.
  void keep(std::span<const WebhookId> active);

  // For those of `active` that are of the kind.
  Room room(std::span<const WebhookId> active, Kind kind) const;

 private:
  struct Receiver {
    std::size_t busy = 0;
    Kind kind = Kind::unheard;
  };

  Receiver of(WebhookId id) const;
  std::size_t busy_with(Kind kind) const;

  const std::size_t connections_;
  const std::size_t each_;
  std::size_t busy_ = 0;
  std::unordered_map<std::int64_t, Receiver> known_;
};

}  // namespace annolog::workers
