#include "app/read_side.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/storage.hpp"
#include "eventstore/kafka/group_member.hpp"
#include "eventstore/kafka/topics.hpp"
#include "projections/engine/checkpoint_watch.hpp"
#include "projections/engine/joint_progress.hpp"
#include "projections/engine/memory_projector.hpp"
#include "projections/engine/projector.hpp"
#include "projections/engine/rebuild_foreign.hpp"
#include "projections/notifications/tidier.hpp"

namespace annolog::app {
namespace {

namespace kafka = eventstore::kafka;

constexpr std::int64_t kHandOverMs = 10'000;
// A reader on another node can't end it, so it is short.
constexpr std::int64_t kGatherOfManyMs = 2;

projections::ProjectorOptions projector_options(const platform::Settings& settings) {
  projections::ProjectorOptions options;
  options.database_url = settings.database_url;
  return options;
}

// Beside each projector: what is past its time goes from the read models.
class Tidying {
 public:
  Tidying(const platform::Settings& settings, const ReadSide::Parts& parts)
      : pool_({.database_url = settings.database_url, .connections = 1, .read_only = false}),
        notifications_(pool_, parts.clock, parts.logger,
                       settings.notification_days * 24 * 3600 * 1000) {}

  void start() { notifications_.start(); }
  void stop() { notifications_.stop(); }

 private:
  projections::ReadPool pool_;
  projections::NotificationTidier notifications_;
};

class OneProcess final : public ReadSide {
 public:
  OneProcess(const platform::Settings& settings, Parts parts)
      : parts_(std::move(parts)),
        database_url_(settings.database_url),
        tidying_(settings, parts_),
        projector_({parts_.log, parts_.barrier, parts_.clock, parts_.logger, parts_.metrics,
                    parts_.unseal},
                   projector_options(settings)) {
    projector_.on_commit([this](std::span<const projections::AppliedEvent> events) {
      for (const auto& applied : events)
        if (applied.event != nullptr) hear(applied.record->position, *applied.event);
    });
  }

  void prepare(const std::function<bool()>& stopping) override {
    projections::rebuild_foreign_read_models(
        parts_.log, parts_.unseal, parts_.logger,
        {.database_url = database_url_, .cancelled = stopping});
  }
  void start(const projections::Positions& shown) override {
    projector_.start(shown);
    tidying_.start();
  }
  void stop() override {
    tidying_.stop();
    projector_.stop();
  }
  void hand_over(eventstore::Position at, std::size_t bytes, Event event) override {
    projector_.hand_over(at, bytes, std::move(event));
  }
  bool healthy() const override { return projector_.healthy(); }
  std::string detail() const override { return projector_.detail(); }
  void publish_lag() const override { projector_.publish_lag(); }

 private:
  // One that can't be heard now takes no other with it.
  void hear(eventstore::Position at, const Event& event) const {
    try {
      parts_.on_directory_event(at, event);
    } catch (const std::exception& error) {
      parts_.logger.error(
          "an event can't be followed",
          {{"shard", at.shard.value}, {"offset", at.offset.value}, {"error", error.what()}});
    }
  }

  const Parts parts_;
  const std::string database_url_;
  Tidying tidying_;
  projections::Projector projector_;
};

// The shards that this node's projector applies, as the group gives them.
class SharedProjector {
 public:
  SharedProjector(const platform::Settings& settings, const ReadSide::Parts& parts)
      : barrier_(parts.log.shard_count()),
        projector_({parts.log, barrier_, parts.clock, parts.logger, parts.metrics, parts.unseal},
                   options(settings)),
        group_({.connection = kafka_log_options(settings, parts.logger).connection,
                .group = settings.kafka_prefix + ".projections",
                .topic = kafka::TopicNames(settings.kafka_prefix).events,
                .session_timeout = std::chrono::milliseconds(settings.kafka_session_timeout_ms),
                .reads = false},
               {.assigned = [this](auto shards) { projector_.assign(shards); },
                .revoked = [this](auto shards, bool) { projector_.revoke(shards, kHandOverMs); },
                .disabled = [hears_log = parts.hears_log] { return !hears_log(); }}),
        tidying_(settings, parts) {}

  void start() {
    projector_.start();
    group_.start();
    tidying_.start();
  }
  void stop() {
    tidying_.stop();
    group_.stop();
    projector_.stop();
  }
  projections::Projector& projector() { return projector_; }
  const projections::Projector& projector() const { return projector_; }

 private:
  static projections::ProjectorOptions options(const platform::Settings& settings) {
    auto options = projector_options(settings);
    options.one_of_many = true;
    options.gather_ms = kGatherOfManyMs;
    return options;
  }

  projections::ReadBarrier barrier_;  // of its own shards alone
  projections::Projector projector_;
  kafka::GroupMember group_;
  Tidying tidying_;
};

class OneOfMany final : public ReadSide {
 public:
  OneOfMany(const platform::Settings& settings, const Parts& parts)
      : barrier_(parts.barrier),
        joint_(parts.barrier, parts.log.shard_count()),
        watch_({.database_url = settings.database_url, .shard_count = parts.log.shard_count()},
               parts.logger,
               {.reached =
                    [this](auto shard, auto at, bool settled) {
                      if (!settled) barrier_.set_settled(shard, false);
                      joint_.in_database(shard, at);
                      if (settled) barrier_.set_settled(shard, true);
                    },
                .lost = [&barrier = parts.barrier] { barrier.lose(); },
                .regained = [&barrier = parts.barrier] { barrier.regain(); }}),
        memory_(parts.log, parts.logger, parts.directory_types, parts.on_directory_event,
                [this](auto shard, auto at) { joint_.in_memory(shard, at); }) {
    if (has_role(settings, "projections")) shared_.emplace(settings, parts);
  }

  // Of a log that other nodes write, the end may be on its way: `annolog projections rebuild`.
  void prepare(const std::function<bool()>&) override {}
  void start(const projections::Positions& shown) override {
    memory_.start(shown);
    watch_.start();
    if (shared_) shared_->start();
  }
  void stop() override {
    if (shared_) shared_->stop();
    watch_.stop();
    memory_.stop();
  }
  void hand_over(eventstore::Position at, std::size_t bytes, Event event) override {
    if (shared_) shared_->projector().hand_over(at, bytes, std::move(event));
  }
  bool healthy() const override {
    return watch_.healthy() && barrier_.stale_shards() == 0 &&
           (!shared_ || shared_->projector().healthy());
  }
  std::string detail() const override {
    if (const auto stale = barrier_.stale_shards(); stale > 0)
      return fmt::format("behind the other nodes in {} shards: the log is not heard", stale);
    const std::string watching = watch_.detail();
    return watching.empty() && shared_ ? shared_->projector().detail() : watching;
  }
  void publish_lag() const override {
    if (shared_) shared_->projector().publish_lag();
  }

 private:
  projections::ReadBarrier& barrier_;
  projections::JointProgress joint_;
  projections::CheckpointWatch watch_;
  projections::MemoryProjector memory_;
  std::optional<SharedProjector> shared_;
};

}  // namespace

std::unique_ptr<ReadSide> make_read_side(const platform::Settings& settings,
                                         ReadSide::Parts parts) {
  if (settings.log == "kafka") return std::make_unique<OneOfMany>(settings, parts);
  return std::make_unique<OneProcess>(settings, std::move(parts));
}

}  // namespace annolog::app
