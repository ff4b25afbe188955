// Events that this process has just committed, still as structs: the projector beside the writers
// takes them from here and need not read them out of their JSON again. Only a loan: what did not
// fit, or comes after the projector passed it, is decoded from the log, as all events of other
// processes are. Any thread; bounded by the bytes that the events have in the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/events.hpp"
#include "eventstore/record.hpp"

namespace annolog::projections {

class FreshEvents {
 public:
  FreshEvents(std::uint16_t shard_count, std::size_t bytes_max)
      : shards_(shard_count), bytes_max_(bytes_max) {}

  // `bytes`: of the event's data in the log. In the order of each shard.
  void put(eventstore::Position at, std::size_t bytes, Event event);
  // The event there, given once. Whatever its shard holds up to there is dropped.
  std::optional<Event> take(eventstore::Position at);

 private:
  struct Held {
    eventstore::Offset offset;
    std::size_t bytes;
    Event event;
  };
  struct Shard {
    std::deque<Held> held;
    eventstore::Offset passed;  // all up to there is of no use any more
  };

  std::mutex mutex_;
  std::vector<Shard> shards_;
  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;
};

}  // namespace annolog::projections
