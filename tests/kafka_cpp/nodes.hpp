// Nodes of a Kafka cluster in one process: each with its log, bus, runtime and metrics, over topics
// of the test's own. Tests only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "commands/kafka/connect.hpp"
#include "tests/contract/kafka_scratch.hpp"
#include "tests/contract/temporary_folder.hpp"
#include "tests/kafka_cpp/uncertain_log.hpp"

namespace annolog::commands {

inline constexpr std::uint16_t kShards = 4;
inline constexpr std::chrono::seconds kPatience{60};

// Looks again until it holds; false: not within a minute.
template <class Holds>
bool eventually(const Holds& holds) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

struct NodeOptions {
  std::string name = {};
  const platform::Clock* clock = nullptr;      // of all but the bus
  const platform::Clock* bus_clock = nullptr;  // absent: the same
  std::size_t waiting_max = 8192;
  std::int64_t answer_ms = 60'000;
};

class Node {
 public:
  Node(const eventstore::kafka::KafkaScratch& scratch, const NodeOptions& options)
      : logger_(*options.clock, platform::LogLevel::error,
                [this](std::string_view line) {
                  const std::lock_guard guard(mutex_);
                  errors_.emplace_back(line);
                }),
        log(std::make_unique<UncertainLog>(open_log(scratch, options))),
        bus(bus_options(scratch, options), options.bus_clock ? *options.bus_clock : *options.clock,
            logger_, metrics_),
        runtime(*log, *options.clock, logger_, metrics_, runtime_options(scratch, options)) {
    connect(bus, runtime);
    runtime.observe([this](std::span<CommittedEvent> events) {
      const std::lock_guard guard(mutex_);
      for (const auto& event : events) decided_.push_back(event.at);
    });
    runtime.on_ownership([this](eventstore::ShardId shard, bool owned) {
      const std::lock_guard guard(mutex_);
      if (owned) owned_.insert(shard);
      if (!owned) owned_.erase(shard);
    });
  }
  ~Node() { stop(); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void start() {
    bus.start();
    runtime.start();
  }
  void stop() {
    runtime.stop();
    bus.stop();
  }

  std::set<eventstore::ShardId> owned() const {
    const std::lock_guard guard(mutex_);
    return owned_;
  }
  std::vector<eventstore::Position> decided() const {
    const std::lock_guard guard(mutex_);
    return decided_;
  }
  std::vector<std::string> errors() const {
    const std::lock_guard guard(mutex_);
    return errors_;
  }

  std::future<Outcome> send(Envelope envelope) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto future = promise->get_future();
    envelope.done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
    bus.send(std::move(envelope));
    return future;
  }
  Outcome call(Envelope envelope) { return result_of(send(std::move(envelope))); }
  static Outcome result_of(std::future<Outcome> future) {
    if (future.wait_for(kPatience) == std::future_status::ready) return future.get();
    ADD_FAILURE() << "no answer";
    return {DomainError{}, std::nullopt, false};
  }

 private:
  std::unique_ptr<eventstore::KafkaLog> open_log(const eventstore::kafka::KafkaScratch& scratch,
                                                 const NodeOptions& options) const {
    eventstore::KafkaLogOptions opened;
    opened.connection = scratch.connection;
    opened.topic_prefix = scratch.prefix;
    opened.shard_count = kShards;
    opened.replication = 1;
    opened.writer_id = scratch.prefix + "." + options.name;
    opened.sole_writer = false;
    opened.state_folder = folder_.path();
    return eventstore::open_kafka_log(opened);
  }
  static KafkaBusOptions bus_options(const eventstore::kafka::KafkaScratch& scratch,
                                     const NodeOptions& options) {
    return {.connection = scratch.connection,
            .topic_prefix = scratch.prefix,
            .node = options.name,
            .shards = kShards,
            .waiting_max = options.waiting_max,
            .answer_ms = options.answer_ms};
  }
  static KafkaRuntimeOptions runtime_options(const eventstore::kafka::KafkaScratch& scratch,
                                             const NodeOptions& options) {
    KafkaRuntimeOptions runtime;
    runtime.connection = scratch.connection;
    runtime.topic_prefix = scratch.prefix;
    runtime.node = options.name;
    return runtime;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> errors_;
  std::set<eventstore::ShardId> owned_;
  std::vector<eventstore::Position> decided_;
  eventstore::TemporaryFolder folder_;
  platform::Metrics metrics_;
  platform::Logger logger_;

 public:
  std::unique_ptr<UncertainLog> log;
  KafkaBus bus;
  KafkaRuntime runtime;
};

inline Envelope wish(Command command, const std::string& key = "", const std::string& hash = "h") {
  Envelope envelope;
  envelope.command = std::move(command);
  envelope.actor = kSystemUser;
  envelope.role = Role::super_admin;
  if (!key.empty()) envelope.idempotency = IdempotencyKey{key, hash};
  return envelope;
}
inline CreateUser new_user(const std::string& name) {
  CreateUser command;
  command.username_digest = name;
  return command;
}
inline CreateProject new_project(std::int64_t id) {
  CreateProject command;
  command.project_id = ProjectId{id};
  command.name = "Project " + std::to_string(id);
  command.classes_config = {{"car", "", {}}};
  command.owner_id = UserId{1};
  return command;
}
// "ok" or the refusal's code.
inline std::string code_of(const Outcome& outcome) {
  return outcome.reply ? "ok" : outcome.reply.error().code;
}
template <class R>
R reply_of(const Outcome& outcome) {
  if (outcome.reply)
    if (const auto* reply = std::get_if<R>(&outcome.reply.value())) return *reply;
  ADD_FAILURE() << "another reply: " << code_of(outcome);
  return {};
}

class KafkaNodesTest : public eventstore::kafka::KafkaScratchTest {
 protected:
  std::unique_ptr<Node> node(const std::string& name, NodeOptions options = {}) {
    options.name = name;
    if (options.clock == nullptr) options.clock = &clock_;
    return std::make_unique<Node>(*scratch_, options);
  }
  platform::SystemClock clock_;
};

}  // namespace annolog::commands
