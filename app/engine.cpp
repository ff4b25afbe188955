#include "app/engine.hpp"

#include <optional>
#include <utility>

#include "app/storage.hpp"
#include "commands/kafka/connect.hpp"
#include "commands/runtime.hpp"
#include "eventstore/kafka/leader_watch.hpp"
#include "platform/random.hpp"

namespace annolog::app {
namespace {

class EmbeddedEngine final : public Engine {
 public:
  EmbeddedEngine(const platform::Settings& settings, const platform::Clock& clock,
                 platform::Logger& logger, platform::Metrics& metrics, commands::OnFatal on_fatal)
      : log_(open_log(settings, logger, false)),
        runtime_(*log_, clock, logger, metrics, options(settings), std::move(on_fatal)) {}

  eventstore::EventLog& log() override { return *log_; }
  commands::CommandBus& bus() override { return runtime_; }
  bool decides() const override { return true; }
  bool hears_log() const override { return true; }
  void observe(Observer observer) override { runtime_.observe(std::move(observer)); }
  void on_ownership(OnOwnership callback) override { on_ownership_ = std::move(callback); }

  void start() override {
    runtime_.start();
    if (!on_ownership_) return;
    for (std::uint16_t s = 0; s < log_->shard_count(); ++s)
      on_ownership_(eventstore::ShardId(s), true);
  }
  void stop() override { runtime_.stop(); }
  void publish_lag() const override {}

 private:
  static commands::RuntimeOptions options(const platform::Settings& settings) {
    commands::RuntimeOptions options;
    options.writers = static_cast<std::size_t>(settings.command_threads);
    options.queue_limit = static_cast<std::size_t>(settings.command_queue_limit);
    options.lock_ms = settings.task_lock_minutes * 60'000;
    return options;
  }

  std::unique_ptr<eventstore::EventLog> log_;
  commands::Runtime runtime_;
  OnOwnership on_ownership_;
};

// A new name at each start: whatever an earlier run has left open is shut out, never taken up.
std::string node_name(const platform::Settings& settings) {
  const std::string name = settings.node_name.empty() ? "node" : settings.node_name;
  return name + "." + platform::random_base62(8);
}

class KafkaEngine final : public Engine {
 public:
  KafkaEngine(const platform::Settings& settings, const platform::Clock& clock,
              platform::Logger& logger, platform::Metrics& metrics)
      : node_(node_name(settings)),
        decides_(has_role(settings, "commands")),
        silent_brokers_(metrics.gauge(
            {"log_brokers_silent", "Brokers that lead shards and do not answer this node"})),
        log_(open(settings, logger)),
        leaders_({.connection = kafka_log_options(settings, logger).connection,
                  .topic = log_->topics().events}),
        bus_(bus_options(settings, logger), clock, logger, metrics) {
    if (!decides_) return;
    runtime_.emplace(*log_, clock, logger, metrics, runtime_options(settings, logger));
    commands::connect(bus_, *runtime_);
    logger.info("joining the nodes", {{"node", node_}, {"prefix", settings.kafka_prefix}});
  }

  eventstore::EventLog& log() override { return *log_; }
  commands::CommandBus& bus() override { return bus_; }
  bool decides() const override { return decides_; }
  bool hears_log() const override { return leaders_.hears_all(); }
  void observe(Observer observer) override {
    if (runtime_) runtime_->observe(std::move(observer));
  }
  void on_ownership(OnOwnership callback) override {
    if (runtime_) runtime_->on_ownership(std::move(callback));
  }
  void publish_lag() const override {
    silent_brokers_.set(leaders_.silent());
    if (runtime_) runtime_->publish_lag();
  }
  void start() override {
    bus_.start();
    if (runtime_) runtime_->start();
  }
  // The shards first: what this node's own callers wait for is answered by whoever takes them over.
  void stop() override {
    if (runtime_) runtime_->stop();
    bus_.stop();
  }

 private:
  std::unique_ptr<eventstore::KafkaLog> open(const platform::Settings& settings,
                                             platform::Logger& logger) const {
    auto options = kafka_log_options(settings, logger);
    options.sole_writer = false;
    options.writer_id = settings.kafka_prefix + "." + node_;
    options.producers = 2 * static_cast<std::size_t>(settings.command_threads);
    if (!decides_) options.state_folder.clear();
    return eventstore::open_kafka_log(options);
  }

  commands::KafkaBusOptions bus_options(const platform::Settings& settings,
                                        platform::Logger& logger) const {
    commands::KafkaBusOptions options;
    options.connection = kafka_log_options(settings, logger).connection;
    options.topic_prefix = settings.kafka_prefix;
    options.node = node_;
    options.shards = log_->shard_count();
    options.waiting_max = static_cast<std::size_t>(2 * settings.command_queue_limit);
    return options;
  }

  commands::KafkaRuntimeOptions runtime_options(const platform::Settings& settings,
                                                platform::Logger& logger) const {
    commands::KafkaRuntimeOptions options;
    options.connection = kafka_log_options(settings, logger).connection;
    options.topic_prefix = settings.kafka_prefix;
    options.node = node_;
    options.writers = static_cast<std::size_t>(settings.command_threads);
    options.queue_limit = static_cast<std::size_t>(settings.command_queue_limit);
    options.session_timeout = std::chrono::milliseconds(settings.kafka_session_timeout_ms);
    options.lock_ms = settings.task_lock_minutes * 60'000;
    options.disabled = [this] { return !leaders_.hears_all(); };
    return options;
  }

  const std::string node_;
  const bool decides_;
  platform::Gauge silent_brokers_;
  std::unique_ptr<eventstore::KafkaLog> log_;
  eventstore::kafka::LeaderWatch leaders_;
  commands::KafkaBus bus_;
  std::optional<commands::KafkaRuntime> runtime_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const platform::Settings& settings,
                                    const platform::Clock& clock, platform::Logger& logger,
                                    platform::Metrics& metrics,
                                    std::function<void(const std::string& why)> on_fatal) {
  if (settings.log == "kafka")
    return std::make_unique<KafkaEngine>(settings, clock, logger, metrics);
  return std::make_unique<EmbeddedEngine>(settings, clock, logger, metrics, std::move(on_fatal));
}

}  // namespace annolog::app
