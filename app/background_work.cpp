#include "app/background_work.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace annolog::app {
namespace {

// A process that began to name something may live, on a cluster also on another node: longer than
// its commands do.
std::int64_t names_rest_ms(const platform::Settings& settings) {
  return std::max<std::int64_t>(60'000, 2 * settings.command_deadline_ms);
}

commands::RemovalRunner::RemoveObject remove_from(platform::ObjectStore& objects) {
  return [&objects](const std::string& key) {
    const auto parsed = platform::ObjectKey::parse(key);
    if (!parsed) throw std::runtime_error(parsed.error().message);
    const auto removed = objects.remove(parsed.value());
    if (!removed) throw std::runtime_error(removed.error().message);
  };
}

}  // namespace

BackgroundWork::BackgroundWork(const platform::Settings& settings, const eventstore::EventLog& log,
                               const platform::Keyring& keyring,
                               const workers::ThumbnailWorker::Parts& parts)
    : links_(parts.bus, log, parts.clock, parts.logger,
             {.names_rest_ms = settings.log == "kafka" ? names_rest_ms(settings) : 0,
              .names_look_ms = names_rest_ms(settings)}),
      removals_(parts.bus, log, remove_from(parts.objects), parts.clock, parts.logger),
      chores_(parts.bus, log, parts.objects, parts.clock, parts.logger),
      thumbnails_(parts, static_cast<std::size_t>(settings.thumbnail_workers)),
      backfills_(
          {parts.bus, log, parts.reads, parts.barrier, parts.objects, parts.clock, parts.logger}),
      locks_(parts.bus, log, parts.clock, parts.logger),
      jobs_(parts.bus, log, parts.clock, parts.logger),
      job_counts_(parts.metrics),
      webhooks_(settings, {parts.bus, log, parts.reads, parts.barrier, keyring, parts.clock,
                           parts.logger, parts.metrics}) {}

void BackgroundWork::start() {
  links_.start();
  removals_.start();
  chores_.start();
  thumbnails_.start();
  backfills_.start();
  locks_.start();
  jobs_.start();
  webhooks_.start();
}

void BackgroundWork::finish() {
  links_.finish();
  removals_.finish();
  chores_.finish();
  thumbnails_.finish();
  backfills_.finish();
  locks_.finish();
  jobs_.finish();
  webhooks_.finish();
}

void BackgroundWork::stop() {
  links_.stop();
  removals_.stop();
  chores_.stop();
  thumbnails_.stop();
  backfills_.stop();
  locks_.stop();
  jobs_.stop();
  webhooks_.stop();
}

void BackgroundWork::owned(eventstore::ShardId shard, bool is) {
  is ? links_.own(shard) : links_.disown(shard);
  is ? removals_.own(shard) : removals_.disown(shard);
  is ? chores_.own(shard) : chores_.disown(shard);
  is ? thumbnails_.own(shard) : thumbnails_.disown(shard);
  is ? backfills_.own(shard) : backfills_.disown(shard);
  is ? locks_.own(shard) : locks_.disown(shard);
  is ? jobs_.own(shard) : jobs_.disown(shard);
  webhooks_.owned(shard, is);
}

void BackgroundWork::on_event(eventstore::Position at, const Event& event) {
  links_.on_event(event);
  removals_.on_event(event);
  chores_.on_event(event);
  thumbnails_.on_event(at, event);
  backfills_.on_event(event);
  job_counts_.on_event(event);
  webhooks_.on_event(at, event);
}

}  // namespace annolog::app
