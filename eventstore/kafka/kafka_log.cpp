#include "eventstore/kafka/kafka_log.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "eventstore/fold_check.hpp"
#include "eventstore/kafka/followed_shard.hpp"
#include "eventstore/kafka/latest_ends.hpp"
#include "eventstore/kafka/local_state.hpp"
#include "eventstore/kafka/log_identity.hpp"
#include "eventstore/kafka/producer_pool.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "eventstore/kafka/record_readers.hpp"
#include "eventstore/kafka/tail.hpp"
#include "eventstore/kafka/take_over.hpp"
#include "eventstore/log_id.hpp"
#include "eventstore/log_info.hpp"
#include "eventstore/record_check.hpp"
#include "eventstore/record_codec.hpp"
#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/shard_claims.hpp"
#include "eventstore/subscribers.hpp"

namespace annolog::eventstore {
namespace {

using kafka::Deadline;

// One shard at a time, and all of it.
constexpr std::size_t kVerifyAheadBytes = 16U << 20U;

RocksdbLogOptions state_options(const KafkaLogOptions& options) {
  RocksdbLogOptions state;
  state.folder = options.state_folder;
  state.block_cache_bytes = options.block_cache_bytes;
  state.write_buffer_bytes = options.write_buffer_bytes;
  state.warn = options.connection.warn;
  return state;
}

// The log that the topics hold; made when there is none and it may be written.
LogInfo find_or_make(const KafkaLogOptions& options, const kafka::TopicNames& names) {
  const Deadline deadline = kafka::after(options.open_timeout);
  if (!options.create) return kafka::require_log(options.connection, names, deadline);
  kafka::ensure_topics(kafka::Client(RD_KAFKA_PRODUCER, options.connection, {}), names,
                       {options.shard_count, options.replication}, deadline);
  return kafka::first_log(options.connection, names,
                          {random_log_id(), kLogFormat, options.shard_count}, deadline);
}

class KafkaLogImpl final : public KafkaLog {
 public:
  explicit KafkaLogImpl(const KafkaLogOptions& options)
      : options_(options),
        names_(options.topic_prefix),
        info_(find_or_make(options, names_)),
        claims_(info_.shard_count),
        recent_(info_.shard_count, options.recent_bytes),
        producers_({options.connection,
                    options.writer_id,
                    {names_.events, names_.replies},
                    options.producers,
                    options.transaction_timeout}),
        readers_(options.connection, names_.events, options.ahead_bytes),
        latest_(options.connection, names_.events),
        take_over_(options.connection, names_.events, options.writer_id) {
    if (!options.state_folder.empty())
      state_ = std::make_unique<kafka::LocalState>(state_options(options), info_);
    const Deadline deadline = kafka::after(options.open_timeout);
    if (options.sole_writer && state_) settle(all_shards(), deadline);
    follow(deadline);
  }

  LogInfo log_info() const override { return info_; }
  std::uint16_t shard_count() const override { return info_.shard_count; }
  const kafka::TopicNames& topics() const override { return names_; }

  std::unique_ptr<Transaction> begin(std::span<const ShardId> shards) override {
    require_writable();
    if (options_.sole_writer && unsettled_)
      take_over(all_shards(), kafka::after(options_.read_timeout));
    ShardClaims::Claim claim = claims_.claim(shards);
    std::vector<Offset> ends;
    for (const ShardId shard : shards) {
      const Offset last = end(shard);
      require_folded(shard, state_->position(shard), last);
      ends.push_back(last);
    }
    return std::make_unique<StagedTransaction>(state_->committed(), std::move(claim), ends);
  }

  CommitOutcome commit(Transaction& transaction) override { return commit(transaction, {}); }

  CommitOutcome commit(Transaction& transaction, const CommandsDone& done) override {
    auto& staged_transaction = dynamic_cast<StagedTransaction&>(transaction);
    const auto touched = staged_transaction.spend(state_->committed());
    if (touched.empty() && done.replies.empty() && done.consumed.next.empty())
      return CommitOutcome::ok;
    const std::vector<std::vector<Record>> records = with_chains(touched);
    for (const StagedShard* staged : touched) shard(staged->shard).hold();
    const CommitOutcome outcome = write(records, done);
    if (outcome == CommitOutcome::ok) fold(touched);
    for (std::size_t i = 0; i < touched.size(); ++i) {
      const ShardId id = touched[i]->shard;
      const auto& committed = outcome == CommitOutcome::ok ? records[i] : std::vector<Record>{};
      if (shard(id).release(committed)) subscribers_.tell(id, end(id));
    }
    return outcome;
  }

  void take_over(std::span<const ShardId> shards, Deadline deadline) override {
    require_writable();
    settle(shards, deadline);
    for (const auto& last : take_over_.last_records(shards, deadline)) {
      if (!last.record) continue;
      if (!shard(last.shard).wait_until(last.record->position.offset, deadline))
        throw LogUnavailable(fmt::format("shard {}: the records up to {} don't arrive",
                                         last.shard.value, last.record->position.offset.value));
    }
    unsettled_ = false;
  }

  Offset end(ShardId id) const override {
    claims_.require_known(id);
    return shard(id).end();
  }

  Offset latest_end(ShardId id, std::chrono::milliseconds longest) const override {
    claims_.require_known(id);
    return latest_.of(id, kafka::after(longest));
  }

  std::vector<Record> read(ShardId id, Offset after, const ReadLimits& limits) const override {
    const Offset last = end(id);
    if (after >= last || limits.max_records == 0) return {};
    if (auto found = recent_.read(id, after, limits)) return std::move(*found);
    return readers_.read(id, after, last, limits, kafka::after(options_.read_timeout));
  }

  std::unique_ptr<Subscription> subscribe(EndCallback callback) override {
    return subscribers_.add(std::move(callback));
  }

  std::unique_ptr<StateSnapshot> state(ShardId id) const override {
    require_state();
    claims_.require_known(id);
    return state_->snapshot(id);
  }

  Offset state_position(ShardId id) const override {
    claims_.require_known(id);
    return state_ ? state_->position(id) : Offset{};
  }

  void reset_state(ShardId id) override {
    require_state();
    const auto claim = claims_.claim({&id, 1});
    state_->drop(id);
  }

  void apply_state(ShardId id, Offset reached,
                   const std::function<void(StateWriter&)>& fold) override {
    require_state();
    const Offset last = end(id);
    StagedTransaction writes(state_->committed(), claims_.claim({&id, 1}), {&last, 1});
    require_fold(id, state_->position(id), reached, last);
    fold(writes);
    const kafka::LocalState::Change change{id, writes.state_writes(), reached};
    state_->put({&change, 1});
  }

  VerifyReport verify(ShardId id, Offset from, const VerifyProgress& progress) const override {
    const Offset last = end(id);
    if (from > last)
      throw std::out_of_range(fmt::format("shard {} ends at {}", id.value, last.value));
    kafka::RecordReader reader(options_.connection, names_.events, kVerifyAheadBytes);
    const auto read = [&](Offset after, const ReadLimits& limits) {
      return reader.read(id, after, last, limits, kafka::after(options_.read_timeout));
    };
    Hash start = ChainHasher().genesis(id, info_.shard_count);
    if (from > Offset{}) start = read(Offset{from.value - 1}, {.max_records = 1}).at(0).chain;
    ChainCheck check(id, from, start);
    while (check.reached() < last) {
      for (const Record& record : read(check.reached(), {})) check.next(record);
      if (progress) progress(check.reached(), last);
    }
    if (progress && from == last) progress(last, last);
    return {last.value - from.value, last, check.chain()};
  }

  LogHealth health() const override {
    const std::lock_guard lock(health_mutex_);
    if (!damage_.empty()) return {false, true, damage_};
    if (!state_) return {false, false, "opened for reading only"};
    LogHealth local = state_->health();
    if (!local.writable || local.fatal) return local;
    return {cluster_.empty(), false, cluster_};
  }

  bool try_resume() override {
    if (!state_ || !state_->try_resume()) return false;
    const std::lock_guard lock(health_mutex_);
    cluster_.clear();  // the next commit tells
    return damage_.empty();
  }

 private:
  using Touched = std::vector<const StagedShard*>;

  kafka::FollowedShard& shard(ShardId id) const { return *shards_[id.value]; }

  std::vector<ShardId> all_shards() const {
    std::vector<ShardId> all;
    for (std::uint16_t i = 0; i < info_.shard_count; ++i) all.emplace_back(i);
    return all;
  }

  // Nothing that a writer before has begun can appear any more.
  void settle(std::span<const ShardId> shards, Deadline deadline) {
    producers_.warm_up(deadline);
    take_over_.settle(shards, deadline);
  }

  void follow(Deadline deadline) {
    std::vector<std::int64_t> from;
    for (const auto& last : take_over_.last_records(all_shards(), deadline)) {
      shards_.push_back(std::make_unique<kafka::FollowedShard>(last.shard, recent_));
      shards_.back()->begin_at(
          last.record ? last.record->position.offset : Offset{},
          last.record ? last.record->chain : ChainHasher().genesis(last.shard, info_.shard_count));
      from.push_back(last.next);
    }
    tail_ = std::make_unique<kafka::Tail>(
        options_.connection, names_.events, from,
        [this](ShardId id, std::vector<Record> records) {
          try {
            if (shard(id).follow(std::move(records))) subscribers_.tell(id, end(id));
          } catch (const LogCorrupted& error) {
            damaged(error.what());
          }
        },
        [this](ShardId id, std::int64_t kafka_offset) {
          damaged(
              fmt::format("shard {}: the message at {} is not a record", id.value, kafka_offset));
        });
  }

  void damaged(const std::string& what) {
    if (options_.connection.warn) options_.connection.warn(what);
    const std::lock_guard lock(health_mutex_);
    if (damage_.empty()) damage_ = what;
  }

  void require_state() const {
    if (!state_) throw std::logic_error("the log is opened for reading only");
  }

  void require_writable() const {
    require_state();
    const std::lock_guard lock(health_mutex_);
    if (!damage_.empty()) throw LogCorrupted(damage_);
  }

  std::vector<std::vector<Record>> with_chains(const Touched& touched) const {
    std::vector<std::vector<Record>> all;
    ChainHasher hasher;
    std::string encoding;
    for (const StagedShard* staged : touched) {
      Hash chain = shard(staged->shard).chain();
      Offset offset = staged->start;
      auto& records = all.emplace_back();
      for (const StagedRecord& each : staged->records) {
        encoding.clear();
        encode_record(each.record.headers, each.record.data, each.last_of_command, encoding);
        chain = hasher.next(chain, encoding);
        offset = offset.next();
        records.push_back({{staged->shard, offset},
                           each.record.headers,
                           each.record.data,
                           chain,
                           each.last_of_command});
      }
    }
    return all;
  }

  CommitOutcome write(const std::vector<std::vector<Record>>& records, const CommandsDone& done) {
    const std::string source = "/annolog/" + info_.log_id;
    const auto messages = [&](const std::string& writer) {
      std::vector<kafka::Message> all = done.replies;
      for (const auto& of_shard : records)
        kafka::add_messages(of_shard, names_.events, {source, writer}, all);
      return all;
    };
    kafka::TransactionResult result;
    try {
      result = producers_.run(messages, done.consumed, kafka::after(options_.transaction_timeout));
    } catch (const LogUnavailable& error) {
      result = {kafka::TransactionOutcome::aborted, error.what(), false};
    }
    const std::lock_guard lock(health_mutex_);
    cluster_ = result.detail;
    switch (result.outcome) {
      case kafka::TransactionOutcome::committed: return CommitOutcome::ok;
      case kafka::TransactionOutcome::aborted: return CommitOutcome::aborted;
      case kafka::TransactionOutcome::not_owner: return CommitOutcome::not_owner;
      case kafka::TransactionOutcome::unknown: break;
    }
    unsettled_ = true;
    return CommitOutcome::outcome_unknown;
  }

  // The records are committed whatever happens here: a state that could not be written lags, and is
  // folded before the next commit.
  void fold(const Touched& touched) {
    std::vector<kafka::LocalState::Change> changes;
    for (const StagedShard* staged : touched)
      changes.push_back({staged->shard, staged->state, staged->end()});
    try {
      if (!changes.empty()) state_->put(changes);
    } catch (const LogUnavailable& error) {
      if (options_.connection.warn) options_.connection.warn(error.what());
    }
  }

  const KafkaLogOptions options_;
  const kafka::TopicNames names_;
  const LogInfo info_;
  ShardClaims claims_;
  kafka::RecentRecords recent_;
  std::unique_ptr<kafka::LocalState> state_;
  std::vector<std::unique_ptr<kafka::FollowedShard>> shards_;
  kafka::ProducerPool producers_;
  mutable kafka::RecordReaders readers_;
  mutable kafka::LatestEnds latest_;
  kafka::TakeOver take_over_;
  Subscribers subscribers_;
  std::atomic<bool> unsettled_{false};  // a commit of this process is neither there nor not
  mutable std::mutex health_mutex_;
  std::string damage_;                 // of the records: nothing is written any more
  std::string cluster_;                // why the last commit came to nothing
  std::unique_ptr<kafka::Tail> tail_;  // last: its thread uses all of the above
};

}  // namespace

std::unique_ptr<KafkaLog> open_kafka_log(const KafkaLogOptions& options) {
  if (options.create && (options.shard_count == 0 || options.shard_count > kMaxShards))
    throw LogRefused(
        fmt::format("a log has 1 to {} shards, not {}", kMaxShards, options.shard_count));
  return std::make_unique<KafkaLogImpl>(options);
}

}  // namespace annolog::eventstore
