#include "eventstore/memory/memory_log.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "eventstore/chain.hpp"
#include "eventstore/fold_check.hpp"
#include "eventstore/memory/memory_store.hpp"
#include "eventstore/record_check.hpp"
#include "eventstore/record_codec.hpp"
#include "eventstore/shard_claims.hpp"
#include "eventstore/staged_transaction.hpp"
#include "eventstore/subscribers.hpp"

namespace annolog::eventstore {
namespace {

// Without the mutex: whoever reads through it has claimed the shard, and nobody else writes it.
class ClaimedState final : public CommittedState {
 public:
  explicit ClaimedState(const MemoryStore& store) : store_(store) {}
  std::optional<std::string> get(ShardId shard, std::string_view key) const override {
    const MemoryState& state = store_.shards[shard.value].state;
    const auto found = state.find(key);
    return found == state.end() ? std::nullopt : std::optional(found->second);
  }
  void scan(ShardId shard, std::string_view prefix, std::string_view from_key,
            const ScanCallback& callback) const override {
    scan_forward(store_.shards[shard.value].state, prefix, from_key, callback);
  }
  void scan_reverse(ShardId shard, std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const override {
    scan_backward(store_.shards[shard.value].state, prefix, from_key, callback);
  }

 private:
  const MemoryStore& store_;
};

class Snapshot final : public StateSnapshot {
 public:
  Snapshot(MemoryState state, Offset position) : state_(std::move(state)), position_(position) {}
  Offset position() const override { return position_; }
  std::optional<std::string> get(std::string_view key) const override {
    const auto found = state_.find(key);
    return found == state_.end() ? std::nullopt : std::optional(found->second);
  }
  void scan(std::string_view prefix, std::string_view from_key,
            const ScanCallback& callback) const override {
    scan_forward(state_, prefix, from_key, callback);
  }
  void scan_reverse(std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const override {
    scan_backward(state_, prefix, from_key, callback);
  }

 private:
  MemoryState state_;
  Offset position_;
};

void write_state(const StagedState& writes, MemoryState& state) {
  for (const auto& [key, value] : writes) {
    if (value) {
      state.insert_or_assign(key, *value);
    } else {
      state.erase(key);
    }
  }
}

class MemoryLog final : public EventLog {
 public:
  explicit MemoryLog(std::shared_ptr<MemoryStore> store)
      : store_(std::move(store)),
        claimed_state_(*store_),
        claims_(static_cast<std::uint16_t>(store_->shards.size())) {}

  LogInfo log_info() const override { return {store_->log_id, 1, shard_count()}; }
  std::uint16_t shard_count() const override {
    return static_cast<std::uint16_t>(store_->shards.size());
  }

  std::unique_ptr<Transaction> begin(std::span<const ShardId> shards) override {
    ShardClaims::Claim claim = claims_.claim(shards);
    std::vector<Offset> ends;
    const std::lock_guard lock(store_->mutex);
    for (const ShardId shard : shards) {
      const MemoryStore::Shard& stored = store_->shards[shard.value];
      require_folded(shard, stored.state_position, stored.end());
      ends.push_back(stored.end());
    }
    return std::make_unique<StagedTransaction>(claimed_state_, std::move(claim), ends);
  }

  CommitOutcome commit(Transaction& transaction) override {
    const auto touched = dynamic_cast<StagedTransaction&>(transaction).spend(claimed_state_);
    ChainHasher hasher;
    {
      const std::lock_guard lock(store_->mutex);
      for (const StagedShard* staged : touched) {
        MemoryStore::Shard& shard = store_->shards[staged->shard.value];
        for (const StagedRecord& record : staged->records) {
          std::string bytes;
          encode_record(record.record.headers, record.record.data, record.last_of_command, bytes);
          shard.chain = hasher.next(shard.chain, bytes);
          bytes.append(as_bytes(shard.chain));
          shard.records.push_back(std::move(bytes));
        }
        write_state(staged->state, shard.state);
        shard.state_position = shard.end();
      }
    }
    for (const StagedShard* staged : touched) subscribers_.tell(staged->shard, staged->end());
    return CommitOutcome::ok;
  }

  Offset end(ShardId shard) const override {
    claims_.require_known(shard);
    const std::lock_guard lock(store_->mutex);
    return store_->shards[shard.value].end();
  }

  std::vector<Record> read(ShardId shard, Offset after, const ReadLimits& limits) const override {
    claims_.require_known(shard);
    std::vector<Record> records;
    std::size_t bytes = 0;
    const std::lock_guard lock(store_->mutex);
    const MemoryStore::Shard& stored = store_->shards[shard.value];
    for (Offset at = after.next(); at <= stored.end(); at = at.next()) {
      if (records.size() >= limits.max_records) break;
      Record record = load_record({shard, at}, stored.records[at.value - 1]);
      bytes += record.data.size();
      if (!records.empty() && bytes > limits.max_bytes) break;
      records.push_back(std::move(record));
    }
    return records;
  }

  std::unique_ptr<Subscription> subscribe(EndCallback callback) override {
    return subscribers_.add(std::move(callback));
  }

  std::unique_ptr<StateSnapshot> state(ShardId shard) const override {
    claims_.require_known(shard);
    const std::lock_guard lock(store_->mutex);
    const MemoryStore::Shard& stored = store_->shards[shard.value];
    return std::make_unique<Snapshot>(stored.state, stored.state_position);
  }

  Offset state_position(ShardId shard) const override {
    claims_.require_known(shard);
    const std::lock_guard lock(store_->mutex);
    return store_->shards[shard.value].state_position;
  }

  void reset_state(ShardId shard) override {
    const auto claim = claims_.claim({&shard, 1});
    const std::lock_guard lock(store_->mutex);
    store_->shards[shard.value].state.clear();
    store_->shards[shard.value].state_position = Offset{};
  }

  void apply_state(ShardId shard, Offset reached,
                   const std::function<void(StateWriter&)>& fold) override {
    require_fold(shard, state_position(shard), reached, end(shard));
    const Offset at = end(shard);
    StagedTransaction writes(claimed_state_, claims_.claim({&shard, 1}), {&at, 1});
    fold(writes);
    const std::lock_guard lock(store_->mutex);
    write_state(writes.state_writes(), store_->shards[shard.value].state);
    store_->shards[shard.value].state_position = reached;
  }

  VerifyReport verify(ShardId shard, Offset from, const VerifyProgress& progress) const override {
    const Offset last = end(shard);
    const std::lock_guard lock(store_->mutex);
    const MemoryStore::Shard& stored = store_->shards[shard.value];
    Hash start = ChainHasher().genesis(shard, shard_count());
    if (from > Offset{})
      start = load_record({shard, from}, stored.records.at(from.value - 1)).chain;
    ChainCheck check(shard, from, start);
    while (check.reached() < last) {
      const Offset at = check.reached().next();
      check.next(at, stored.records[at.value - 1]);
    }
    if (progress) progress(last, last);
    return {last.value - from.value, last, check.chain()};
  }

  LogHealth health() const override { return {}; }
  bool try_resume() override { return true; }

 private:
  std::shared_ptr<MemoryStore> store_;
  ClaimedState claimed_state_;
  ShardClaims claims_;
  Subscribers subscribers_;
};

}  // namespace

std::unique_ptr<EventLog> open_memory_log(std::uint16_t shard_count) {
  return open_memory_log(make_memory_store(shard_count), shard_count);
}

std::unique_ptr<EventLog> open_memory_log(std::shared_ptr<MemoryStore> store,
                                          std::uint16_t shard_count) {
  if (store->shards.size() != shard_count)
    throw LogRefused(fmt::format("the log was created with {} shards, {} were asked for",
                                 store->shards.size(), shard_count));
  return std::make_unique<MemoryLog>(std::move(store));
}

}  // namespace annolog::eventstore
