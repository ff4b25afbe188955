// The bus of a node that need not own any shard: commands go to their shard's partition, unless
// this process decides them itself (offer_to); outcomes come back on the partition of the replies
// that this node listens to. Any thread may send.
//
// Every command is answered: with its outcome; with 503 when it surely was not taken (nothing was
// done); with 503 OUTCOME_UNKNOWN when no reply came in time or the cluster can't say whether it
// has the command. A retry with the same idempotency key then tells what became of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "commands/bus.hpp"
#include "commands/kafka/envelope_message.hpp"
#include "eventstore/kafka/message_sender.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/topics.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"

namespace annolog::commands {

struct KafkaBusOptions {
  eventstore::kafka::Connection connection;
  std::string topic_prefix = "annolog";
  std::string node;  // nobody else's
  std::uint16_t shards = 64;
  std::size_t waiting_max = 8192;   // commands without an answer; beyond: 503
  std::int64_t answer_ms = 60'000;  // for commands without a deadline
  std::int64_t grace_ms = 3'000;    // for a reply after the command's deadline
};

class KafkaBus final : public CommandBus {
 public:
  KafkaBus(KafkaBusOptions options, const platform::Clock& clock, platform::Logger& logger,
           platform::Metrics& metrics);
  ~KafkaBus() override;
  KafkaBus(const KafkaBus&) = delete;
  KafkaBus& operator=(const KafkaBus&) = delete;

  // Listens from now on; before it, send() refuses. Throws LogUnavailable.
  void start();
  // Answers what waits with OUTCOME_UNKNOWN, refuses what comes after.
  void stop();

  std::uint16_t shard_count() const override { return options_.shards; }
  void send(Envelope envelope) override;

  // Asked before a command goes to the topic: takes it when this process itself will decide it. Set
  // before start().
  void offer_to(std::function<bool(ReceivedCommand& command)> take_here);
  // One that was taken, and can't be decided here any more; one of which nobody knows.
  void send_on(const ReceivedCommand& command);
  void give_up(const std::string& command_id);

  // The outcome of a command of this node that this process itself has decided: it needs no reply.
  void complete(const std::string& command_id, Outcome outcome);

 private:
  using Done = std::function<void(Outcome)>;
  using Timers = std::multimap<std::int64_t, std::uint64_t>;
  struct Waiting {
    Done done;
    Timers::iterator timer;
  };

  std::optional<DomainError> admit(Done done, std::int64_t until_ms, std::uint64_t& number);
  std::optional<Done> take(std::uint64_t number);
  std::optional<std::uint64_t> number_of(const std::string& command_id) const;
  std::string command_id(std::uint64_t number) const;
  // For one that was not sent, or nobody knows.
  void give_up(std::uint64_t number, eventstore::kafka::Sent sent, const std::string& why);
  void read_replies();
  void read_reply(const rd_kafka_message_t& message);
  void watch_deadlines();

  const KafkaBusOptions options_;
  const eventstore::kafka::TopicNames topics_;
  // Of the ids of its commands: another one after each start, as what a former life of this node
  // has sent may be answered now.
  const std::string id_prefix_;
  const platform::Clock& clock_;
  platform::Logger& logger_;
  platform::Counter sent_, unknown_;
  std::function<bool(ReceivedCommand& command)> take_here_;
  std::int32_t reply_partition_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool stopping_ = false;
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  Timers timers_;  // by the monotonic time when a command's answer is overdue

  eventstore::kafka::MessageSender sender_;
  std::unique_ptr<eventstore::kafka::TopicReader> replies_;
  std::thread reply_thread_, deadline_thread_;
};

// 503: whether the command was done is not known; the same idempotency key tells.
DomainError outcome_unknown();

}  // namespace annolog::commands
