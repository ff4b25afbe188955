#include "eventstore/readable_end.hpp"

#include <string>
#include <thread>

#include "eventstore/errors.hpp"

namespace annolog::eventstore {
namespace {

constexpr std::chrono::milliseconds kHearStep{2};

}  // namespace

Offset readable_end(const EventLog& log, ShardId shard, std::chrono::milliseconds longest) {
  const auto until = std::chrono::steady_clock::now() + longest;
  const Offset latest = log.latest_end(shard, longest);
  while (log.end(shard) < latest) {
    if (std::chrono::steady_clock::now() >= until)
      throw LogUnavailable("shard " + std::to_string(shard.value) + " ends at " +
                           std::to_string(latest.value) + ", this process has heard of " +
                           std::to_string(log.end(shard).value));
    std::this_thread::sleep_for(kHearStep);
  }
  return latest;
}

}  // namespace annolog::eventstore
