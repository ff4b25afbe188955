#include "projections/engine/checkpoint_watch.hpp"

#include "platform/named_thread.hpp"
#include "projections/engine/checkpoint_news.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/settling.hpp"

namespace annolog::projections {

CheckpointWatch::CheckpointWatch(CheckpointWatchOptions options, platform::Logger& logger,
                                 Handlers handlers)
    : options_(std::move(options)), logger_(logger), handlers_(std::move(handlers)) {}

void CheckpointWatch::start() {
  thread_ = platform::named_thread("checkpoints", [this] { run(); });
}

void CheckpointWatch::stop() {
  stopping_ = true;
  wakeup_.set();
  if (thread_.joinable()) thread_.join();
}

std::string CheckpointWatch::detail() const {
  const std::lock_guard guard(mutex_);
  return detail_;
}

void CheckpointWatch::run() {
  while (!stopping_) {
    try {
      session();
    } catch (const std::exception& error) {
      back_off(error.what());
    }
  }
}

void CheckpointWatch::back_off(const std::string& why) {
  healthy_ = false;
  handlers_.lost();
  {
    const std::lock_guard guard(mutex_);
    detail_ = why;
  }
  if (stopping_) return;
  logger_.warn("the read models' progress can't be followed, trying again", {{"error", why}});
  wakeup_.wait(options_.retry_ms);
}

void CheckpointWatch::session() {
  PgConnection connection({.database_url = options_.database_url,
                           .application_name = "annolog-checkpoints",
                           .search_path = kLiveSchema,
                           .connect_ms = options_.connect_ms,
                           .stopping = [this] { return stopping_.load(); }});
  // First the ear, then the look: what comes in between is heard.
  connection.run(std::string("LISTEN ") + kCheckpointChannel);
  look(connection);
  handlers_.regained();
  healthy_ = true;
  {
    const std::lock_guard guard(mutex_);
    detail_.clear();
  }
  while (!stopping_) {
    for (const std::string& text : connection.wait_notifications(wakeup_.fd())) {
      const auto news = checkpoint_news_from(text);
      if (!news || news->generation != generation_ || news->reached.empty()) {
        look(connection);
        continue;
      }
      for (const auto& [at, settled] : news->reached)
        if (at.shard.value < options_.shard_count) handlers_.reached(at.shard, at.offset, settled);
    }
  }
}

void CheckpointWatch::look(PgConnection& connection) {
  const auto control = load_control(connection);
  if (!control) throw PgUnavailable("the database has no read models: migrate it first");
  generation_ = control->generation;
  const Positions at = load_positions(connection, generation_, options_.shard_count);
  // After the positions: what is unsettled at them is seen.
  const auto unsettled = load_unsettled_shards(connection);
  for (std::uint16_t i = 0; i < options_.shard_count; ++i) {
    const eventstore::ShardId shard(i);
    handlers_.reached(shard, at[i], !unsettled.contains(shard));
  }
}

}  // namespace annolog::projections
