#include "eventstore/kafka/kafka_import.hpp"

#include <fmt/format.h>

#include "eventstore/chain.hpp"
#include "eventstore/import_ends.hpp"
#include "eventstore/kafka/last_records.hpp"
#include "eventstore/kafka/log_identity.hpp"
#include "eventstore/kafka/producer_pool.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "eventstore/kafka/take_over.hpp"

namespace annolog::eventstore {
namespace {

using kafka::Deadline;

std::vector<ShardId> shards_of(const LogInfo& info) {
  std::vector<ShardId> shards;
  for (std::uint16_t i = 0; i < info.shard_count; ++i) shards.emplace_back(i);
  return shards;
}

std::vector<kafka::LastRecord> last_of_all(const KafkaImportOptions& options,
                                           const kafka::TopicNames& names, const LogInfo& info,
                                           Deadline deadline) {
  return kafka::last_records(options.connection, names.events, shards_of(info), deadline);
}

// Records that nobody knows the log of must not become part of this one.
void require_unwritten(const KafkaImportOptions& options, const kafka::TopicNames& names,
                       const LogInfo& info, Deadline deadline) {
  for (const kafka::LastRecord& last : last_of_all(options, names, info, deadline))
    if (last.next > 0)
      throw LogRefused(fmt::format("topic {} holds records, but {} doesn't say of which log",
                                   names.events, names.log));
}

void adopt_log(const KafkaImportOptions& options, const kafka::TopicNames& names,
               const LogInfo& info, Deadline deadline) {
  const std::string place = fmt::format("{} in the cluster", options.topic_prefix);
  const auto known = kafka::known_log(options.connection, names, deadline);
  if (known) require_same_log(*known, info, place);
  kafka::ensure_topics(kafka::Client(RD_KAFKA_PRODUCER, options.connection, {}), names,
                       {info.shard_count, options.replication}, deadline);
  if (!known) require_unwritten(options, names, info, deadline);
  require_same_log(kafka::first_log(options.connection, names, info, deadline), info, place);
}

class KafkaImport final : public RecordImport {
 public:
  KafkaImport(const KafkaImportOptions& options, const LogInfo& info, Deadline deadline)
      : options_(options),
        names_(options.topic_prefix),
        shards_(shards_of(info)),
        source_("/annolog/" + info.log_id),
        producers_({options.connection,
                    writer_id(names_),
                    {names_.events},
                    kProducers,
                    options.transaction_timeout}),
        take_over_(options.connection, names_.events, writer_id(names_)),
        ends_(settled_ends(info, deadline)) {}

  ShardEnd end(ShardId shard) const override { return ends_.of(shard); }

  void append(std::span<const Record> records) override {
    for (const Record& record : records) {
      ends_.move_to(record);
      taken_.push_back(record);
    }
  }

  void commit() override {
    if (taken_.empty()) return;
    const auto messages = [&](const std::string& writer) {
      std::vector<kafka::Message> all;
      all.reserve(taken_.size());
      kafka::add_messages(taken_, names_.events, {source_, writer}, all);
      return all;
    };
    const kafka::TransactionResult result =
        producers_.run(messages, {}, kafka::after(options_.transaction_timeout));
    taken_.clear();
    if (result.outcome != kafka::TransactionOutcome::committed)
      throw LogUnavailable(fmt::format("the copy can't be written: {}", result.detail));
  }

  void settle() override { settle_until(kafka::after(options_.transaction_timeout)); }

 private:
  // They take turns, since a producer must rest after a transaction.
  static constexpr std::size_t kProducers = 4;

  static std::string writer_id(const kafka::TopicNames& names) { return names.events + ".import"; }

  void settle_until(Deadline deadline) { take_over_.settle(shards_, deadline); }

  // An import that was killed may have left a transaction open: its producers' successors end it.
  ImportEnds settled_ends(const LogInfo& info, Deadline deadline) {
    producers_.warm_up(deadline);
    settle_until(deadline);
    std::vector<ShardEnd> ends;
    ChainHasher hasher;
    for (std::uint16_t i = 0; i < info.shard_count; ++i)
      ends.push_back({Offset{}, hasher.genesis(ShardId{i}, info.shard_count)});
    for (const kafka::LastRecord& last : last_of_all(options_, names_, info, deadline))
      if (last.record) ends[last.shard.value] = {last.record->position.offset, last.record->chain};
    return ImportEnds(std::move(ends));
  }

  const KafkaImportOptions options_;
  const kafka::TopicNames names_;
  const std::vector<ShardId> shards_;
  const std::string source_;
  kafka::ProducerPool producers_;
  kafka::TakeOver take_over_;
  ImportEnds ends_;
  std::vector<Record> taken_;
};

}  // namespace

std::unique_ptr<RecordImport> open_kafka_import(const KafkaImportOptions& options,
                                                const LogInfo& info) {
  const Deadline deadline = kafka::after(options.open_timeout);
  adopt_log(options, kafka::TopicNames(options.topic_prefix), info, deadline);
  return std::make_unique<KafkaImport>(options, info, deadline);
}

}  // namespace annolog::eventstore
