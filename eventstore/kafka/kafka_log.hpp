// The log in Kafka: one partition of `<prefix>.events` a shard, a commit is a Kafka transaction,
// and every process follows all shards. The state is folded into a RocksDB database of this
// process, which may be lost at any time. Any thread.
//
// Whoever writes a shard must have taken it over first: then nothing that an earlier writer had
// begun can still appear. Without a consumer group that says who owns what (sole_writer) opening
// does this for all shards, and shuts out every writer before.
// Source: docs/kafka.md; KIP-98, KIP-447.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/kafka/topics.hpp"
#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore {

struct KafkaLogOptions {
  kafka::Connection connection;
  std::string topic_prefix = "annolog";
  std::uint16_t shard_count =
      64;                        // must be what the log was created with; 0 when only reading: any
  std::int32_t replication = 0;  // of topics that are made; 0: three, or as many as brokers
  bool create = true;            // topics and log when there are none
  // Where the state is folded; empty: nowhere, the log can only be read.
  std::filesystem::path state_folder = {};
  // Begins the transactional ids. Another process with the same one is shut out.
  std::string writer_id = "annolog";
  bool sole_writer = true;
  std::size_t producers = 4;
  std::chrono::milliseconds transaction_timeout{10'000};
  std::chrono::milliseconds open_timeout{30'000};
  std::chrono::milliseconds read_timeout{10'000};
  std::size_t ahead_bytes = 8U << 20U;    // of each shard that is read from the cluster
  std::size_t recent_bytes = 64U << 20U;  // of the newest records, kept in memory
  std::size_t block_cache_bytes = 64U << 20U;
  std::size_t write_buffer_bytes = 96U << 20U;
};

// What a group of commands leaves behind besides its records, in the same transaction.
struct CommandsDone {
  std::vector<kafka::Message> replies = {};
  kafka::Consumed consumed = {};
};

class KafkaLog : public EventLog {
 public:
  using EventLog::commit;
  virtual CommitOutcome commit(Transaction& transaction, const CommandsDone& done) = 0;

  // Ends what earlier writers of these shards have left open, shutting them out, and follows the
  // shards to their ends: after it, end() is the whole truth until this process commits.
  // Throws LogUnavailable when that can't be had until `deadline`.
  virtual void take_over(std::span<const ShardId> shards, kafka::Deadline deadline) = 0;
  virtual const kafka::TopicNames& topics() const = 0;
};

// Throws LogRefused (topics or log are not as asked), LogUnavailable, LogCorrupted.
std::unique_ptr<KafkaLog> open_kafka_log(const KafkaLogOptions& options);

}  // namespace annolog::eventstore
