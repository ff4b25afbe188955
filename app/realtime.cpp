#include "app/realtime.hpp"

#include <algorithm>
#include <utility>

#include "projections/notifications/queries.hpp"

namespace annolog::app {
namespace {

namespace realtime = api::realtime;

realtime::RealtimeOptions realtime_options(const platform::Settings& settings) {
  realtime::RealtimeOptions options;
  options.sockets = static_cast<std::size_t>(settings.realtime_connections);
  options.sockets_per_user = static_cast<std::size_t>(settings.realtime_connections_per_user);
  options.ping_ms = settings.realtime_ping_s * 1000;
  options.notification_ping_ms = settings.realtime_notification_ping_s * 1000;
  options.idle_ms = settings.realtime_idle_s * 1000;
  // Who answers pings is heard from once in between; three may be lost.
  options.silent_ms = std::max(options.silent_ms, 3 * options.notification_ping_ms);
  options.replay_notifications = projections::NotificationQueries::kReplayedMost - 1;
  return options;
}

realtime::ReadRecords read_from(const eventstore::EventLog& log) {
  return [&log](eventstore::ShardId shard, eventstore::Offset after, std::size_t most) {
    return log.read(shard, after, {.max_records = most});
  };
}

}  // namespace

Realtime::Realtime(const platform::Settings& settings, Parts parts)
    : options_(realtime_options(settings)),
      notifications_(std::move(parts.notifications)),
      interest_(parts.log.shard_count()),
      rights_({parts.directory, parts.tasks, parts.reads, parts.read_threads, parts.second_look,
               parts.barrier, parts.log.shard_count()}),
      missed_({options_, read_from(parts.log), frames_, *notifications_, parts.logger}),
      hub_({options_, parts.door, rights_, interest_, missed_, parts.replay_threads, parts.clock,
            parts.logger, parts.metrics, parts.log.shard_count()}),
      feed_({.read = read_from(parts.log),
             .frames = frames_,
             .barrier = parts.barrier,
             .interest = interest_,
             .notifications = *notifications_,
             .publish = [this](realtime::Batch batch) { hub_.publish(batch); },
             .shards = parts.log.shard_count(),
             .clock = parts.clock,
             .logger = parts.logger,
             .metrics = parts.metrics}) {
  parts.barrier.on_set([this](eventstore::ShardId shard) { feed_.on_shown(shard); });
}

}  // namespace annolog::app
