#include "commands/process_managers/shard_sweeper.hpp"

#include <exception>
#include <string>
#include <utility>

#include "commands/send_step.hpp"
#include "platform/named_thread.hpp"

namespace annolog::commands {

ShardSweeper::ShardSweeper(const Parts& parts, Sweep sweep, std::chrono::milliseconds look_every)
    : parts_(parts),
      sweep_(std::move(sweep)),
      rest_(look_every / parts.log.shard_count()),
      turns_([](eventstore::ShardId shard) { return shard; }) {}

ShardSweeper::~ShardSweeper() { stop(); }

void ShardSweeper::start() {
  thread_ = platform::named_thread("sweeper", [this] { run(); });
}

void ShardSweeper::finish() { turns_.finish(); }

void ShardSweeper::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void ShardSweeper::own(eventstore::ShardId shard) {
  {
    const std::lock_guard guard(mutex_);
    looked_from_.erase(shard);  // another node may have had another clock
  }
  turns_.own(shard, {shard});
}

void ShardSweeper::disown(eventstore::ShardId shard) { turns_.disown(shard); }

// Shards always wait for their next turn. What a refusal left is left to that, too.
void ShardSweeper::run() {
  while (const auto shard = turns_.take()) {
    while (!turns_.finishing() && clean(*shard)) {
    }
    turns_.rest(rest_);
    turns_.put_back(*shard);
  }
}

bool ShardSweeper::clean(eventstore::ShardId shard) {
  std::string why;
  try {
    if (!any_is_over(shard)) return false;
    const Outcome outcome = send_step(parts_.bus, parts_.clock, sweep_.step(shard)).get();
    if (outcome.reply) return std::get<Remains>(outcome.reply.value()).any;
    why = outcome.reply.error().code + ": " + outcome.reply.error().message;
  } catch (const std::exception& error) {  // of the store: others may need the process all the more
    why = error.what();
  }
  if (!turns_.finishing()) {
    parts_.logger.warn(sweep_.warning, {{"shard", shard.value}, {"reason", why}});
  }
  return false;
}

bool ShardSweeper::any_is_over(eventstore::ShardId shard) {
  const std::string end = sweep_.first_kept(parts_.clock.now()).take();
  std::string first;
  {
    const std::lock_guard guard(mutex_);
    first = looked_from_[shard];
  }
  if (end < first) first.clear();  // the clock went back
  bool any = false;
  parts_.log.state(shard)->scan(Key(sweep_.ends).bytes(), first,
                                [&](std::string_view key, std::string_view) {
                                  any = key < end;
                                  if (any) first.assign(key);
                                  return false;
                                });
  if (!any) first = end;
  const std::lock_guard guard(mutex_);
  looked_from_[shard] = std::move(first);
  return any;
}

}  // namespace annolog::commands
