#include "eventstore/rocksdb/rocksdb_log.hpp"

#include <fmt/format.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <utility>

#include "eventstore/chain.hpp"
#include "eventstore/fold_check.hpp"
#include "eventstore/record_check.hpp"
#include "eventstore/record_codec.hpp"
#include "eventstore/rocksdb/folded_state.hpp"
#include "eventstore/rocksdb/open.hpp"
#include "eventstore/rocksdb/open_check.hpp"
#include "eventstore/rocksdb/record_reader.hpp"
#include "eventstore/rocksdb/store.hpp"
#include "eventstore/shard_claims.hpp"
#include "eventstore/staged_transaction.hpp"
#include "eventstore/subscribers.hpp"

namespace annolog::eventstore {
namespace {

constexpr std::uint64_t kReservedRecords = 4096;  // whoever asks for more seldom gets them

// What is known of a shard without reading. `chain` and `hasher` belong to whoever has claimed it.
struct Tail {
  std::atomic<std::uint64_t> end{0};
  std::atomic<std::uint64_t> state_position{0};
  Hash chain{};
  ChainHasher hasher;
};

class RocksdbLog final : public EventLog {
 public:
  RocksdbLog(Store store, const RocksdbLogOptions& options)
      : options_(options),
        store_(std::move(store)),
        read_only_(options.read_only),
        info_(load_info(store_, options)),
        writer_(store_, options),
        committed_(store_, nullptr),
        claims_(info_.shard_count),
        tails_(info_.shard_count) {
    load_tails();
  }

  LogInfo log_info() const override { return info_; }
  std::uint16_t shard_count() const override { return info_.shard_count; }

  std::unique_ptr<Transaction> begin(std::span<const ShardId> shards) override {
    require_writable();
    ShardClaims::Claim claim = claims_.claim(shards);
    std::vector<Offset> ends;
    ends.reserve(shards.size());
    for (const ShardId shard : shards) {
      const Offset last = end(shard);
      require_folded(shard, state_position(shard), last);
      ends.push_back(last);
    }
    return std::make_unique<StagedTransaction>(committed_, std::move(claim), ends);
  }

  CommitOutcome commit(Transaction& transaction) override {
    auto& staged_transaction = dynamic_cast<StagedTransaction&>(transaction);
    const auto touched = staged_transaction.spend(committed_);
    if (touched.empty()) return CommitOutcome::ok;
    rocksdb::WriteBatch batch(staged_transaction.bytes());
    std::vector<Hash> chains;
    for (const StagedShard* staged : touched) chains.push_back(put_shard(*staged, batch));
    const CommitOutcome outcome = writer_.write(batch, true);
    if (outcome != CommitOutcome::ok) return outcome;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      Tail& tail = tails_[touched[i]->shard.value];
      tail.chain = chains[i];
      tail.state_position = touched[i]->end().value;
      tail.end = touched[i]->end().value;
    }
    for (const StagedShard* staged : touched) subscribers_.tell(staged->shard, staged->end());
    return outcome;
  }

  Offset end(ShardId shard) const override {
    claims_.require_known(shard);
    return Offset{tails_[shard.value].end.load()};
  }

  std::vector<Record> read(ShardId shard, Offset after, const ReadLimits& limits) const override {
    std::vector<Record> records;
    if (limits.max_records == 0) return records;
    const Offset last = end(shard);
    if (after < last) {
      const std::uint64_t count = last.value - after.value;
      records.reserve(std::min({count, std::uint64_t{limits.max_records}, kReservedRecords}));
    }
    std::size_t bytes = 0;
    walk_records(store_, shard, after, last, true, [&](Offset offset, std::string_view stored) {
      Record record = load_record({shard, offset}, stored);
      bytes += record.data.size();
      if (!records.empty() && bytes > limits.max_bytes) return false;
      records.push_back(std::move(record));
      return records.size() < limits.max_records;
    });
    return records;
  }

  std::unique_ptr<Subscription> subscribe(EndCallback callback) override {
    return subscribers_.add(std::move(callback));
  }

  std::unique_ptr<StateSnapshot> state(ShardId shard) const override {
    claims_.require_known(shard);
    return std::make_unique<RocksdbSnapshot>(store_, shard);
  }

  Offset state_position(ShardId shard) const override {
    claims_.require_known(shard);
    return Offset{tails_[shard.value].state_position.load()};
  }

  void reset_state(ShardId shard) override {
    require_writable();
    const auto claim = claims_.claim({&shard, 1});
    rocksdb::WriteBatch batch;
    drop_state(store_, shard, batch);
    write_state(writer_, batch, true);
    tails_[shard.value].state_position = 0;
  }

  void apply_state(ShardId shard, Offset reached,
                   const std::function<void(StateWriter&)>& fold) override {
    require_writable();
    const Offset last = end(shard);
    StagedTransaction writes(committed_, claims_.claim({&shard, 1}), {&last, 1});
    require_fold(shard, state_position(shard), reached, last);
    fold(writes);
    rocksdb::WriteBatch batch(writes.bytes());
    put_state(store_, shard, writes.state_writes(), reached, batch);
    write_state(writer_, batch, false);
    tails_[shard.value].state_position = reached.value;
  }

  VerifyReport verify(ShardId shard, Offset from, const VerifyProgress& progress) const override {
    const Offset last = end(shard);
    if (from > last)
      throw std::out_of_range(fmt::format("shard {} ends at {}", shard.value, last.value));
    const Hash chain = check_records(store_, shard, info_.shard_count, from, last, progress);
    return {last.value - from.value, last, chain};
  }

  void refresh() override {
    if (!read_only_) return;
    Store fresh = open_store(options_, store_.env);
    std::swap(store_, fresh);
    load_tails();
  }

  LogHealth health() const override {
    return read_only_ ? LogHealth{false, false, "opened for reading only"} : writer_.health();
  }
  bool try_resume() override { return !read_only_ && writer_.try_resume(); }

 private:
  void load_tails() {
    for (std::uint16_t i = 0; i < info_.shard_count; ++i) {
      const OpenedShard opened =
          check_shard(store_, ShardId{i}, info_.shard_count, options_.open_check_records);
      tails_[i].end = opened.end.offset.value;
      tails_[i].chain = opened.end.chain;
      tails_[i].state_position = opened.state_position.value;
    }
  }

  void require_writable() const {
    if (read_only_) throw std::logic_error("the log is opened for reading only");
  }

  // Records, state, position and end mark of one shard; gives the chain of its last record.
  Hash put_shard(const StagedShard& staged, rocksdb::WriteBatch& batch) {
    Tail& tail = tails_[staged.shard.value];
    Hash chain = tail.chain;
    Offset offset = staged.start;
    std::string stored;
    for (const StagedRecord& record : staged.records) {
      stored.clear();
      encode_record(record.record.headers, record.record.data, record.last_of_command, stored);
      chain = tail.hasher.next(chain, stored);
      stored.append(as_bytes(chain));
      offset = offset.next();
      batch.Put(store_.records.get(), record_key(staged.shard, offset), stored);
    }
    put_state(store_, staged.shard, staged.state, offset, batch);
    batch.Put(store_.meta.get(), end_key(staged.shard), encode_end({offset, chain}));
    return chain;
  }

  const RocksdbLogOptions options_;
  Store store_;
  const bool read_only_;
  const LogInfo info_;
  BatchWriter writer_;
  StateReader committed_;
  ShardClaims claims_;
  std::vector<Tail> tails_;
  Subscribers subscribers_;
};

}  // namespace

std::unique_ptr<EventLog> open_rocksdb_log(const RocksdbLogOptions& options) {
  return open_rocksdb_log(options, nullptr);
}

std::unique_ptr<EventLog> open_rocksdb_log(const RocksdbLogOptions& options,
                                           std::shared_ptr<rocksdb::Env> env) {
  const bool any_count = options.read_only && options.shard_count == 0;
  if (!any_count && (options.shard_count == 0 || options.shard_count > kMaxShards))
    throw LogRefused(
        fmt::format("a log has 1 to {} shards, not {}", kMaxShards, options.shard_count));
  return std::make_unique<RocksdbLog>(open_store(options, std::move(env)), options);
}

}  // namespace annolog::eventstore
