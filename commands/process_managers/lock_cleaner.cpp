#include "commands/process_managers/lock_cleaner.hpp"

#include <exception>
#include <string>
#include <utility>

#include "commands/send_step.hpp"
#include "commands/state/key.hpp"

namespace annolog::commands {

LockCleaner::LockCleaner(CommandBus& bus, const eventstore::EventLog& log,
                         const platform::Clock& clock, platform::Logger& logger,
                         std::chrono::milliseconds look_every)
    : bus_(bus),
      log_(log),
      clock_(clock),
      logger_(logger),
      rest_(look_every / log.shard_count()),
      turns_([](eventstore::ShardId shard) { return shard; }) {}

LockCleaner::~LockCleaner() { stop(); }

void LockCleaner::start() {
  thread_ = std::thread([this] { run(); });
}

void LockCleaner::finish() { turns_.finish(); }

void LockCleaner::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void LockCleaner::own(eventstore::ShardId shard) {
  {
    const std::lock_guard guard(mutex_);
    looked_from_.erase(shard);  // another node may have had another clock
  }
  turns_.own(shard, {shard});
}

void LockCleaner::disown(eventstore::ShardId shard) { turns_.disown(shard); }

// Shards always wait for their next turn. What a refusal left is left to that, too.
void LockCleaner::run() {
  while (const auto shard = turns_.take()) {
    while (!turns_.finishing() && clean(*shard)) {
    }
    turns_.rest(rest_);
    turns_.put_back(*shard);
  }
}

bool LockCleaner::clean(eventstore::ShardId shard) {
  std::string why;
  try {
    if (!any_is_over(shard)) return false;
    const Outcome outcome = send_step(bus_, clock_, ExpireLocks{shard.value}).get();
    if (outcome.reply) return std::get<Remains>(outcome.reply.value()).any;
    why = outcome.reply.error().code + ": " + outcome.reply.error().message;
  } catch (const std::exception& error) {  // of the store: others may need the process all the more
    why = error.what();
  }
  if (!turns_.finishing()) {
    logger_.warn("locks that are over could not be cleared away; it is tried again",
                 {{"shard", shard.value}, {"reason", why}});
  }
  return false;
}

bool LockCleaner::any_is_over(eventstore::ShardId shard) {
  const std::string end = first_live_lock(clock_.now()).take();
  std::string first;
  {
    const std::lock_guard guard(mutex_);
    first = looked_from_[shard];
  }
  bool any = false;
  log_.state(shard)->scan(Key(Table::lock_end).bytes(), first,
                          [&](std::string_view key, std::string_view) {
                            first.assign(key);
                            any = key < end;
                            return false;
                          });
  const std::lock_guard guard(mutex_);
  looked_from_[shard] = std::move(first);
  return any;
}

}  // namespace annolog::commands
