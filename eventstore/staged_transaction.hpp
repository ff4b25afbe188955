// The transaction of every adapter: keeps records and state writes in memory, laid over the
// committed state, until the adapter writes them out. One thread; see Transaction.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/shard_claims.hpp"

namespace annolog::eventstore {

// The committed state of any shard, as an adapter reads it.
class CommittedState {
 public:
  virtual ~CommittedState() = default;
  virtual std::optional<std::string> get(ShardId shard, std::string_view key) const = 0;
  virtual void scan(ShardId shard, std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const = 0;
  virtual void scan_reverse(ShardId shard, std::string_view prefix, std::string_view from_key,
                            const ScanCallback& callback) const = 0;
};

struct StagedRecord {
  NewRecord record;
  bool last_of_command = false;
};

// nullopt: erased.
using StagedState = std::map<std::string, std::optional<std::string>, std::less<>>;

struct StagedShard {
  ShardId shard;
  Offset start;  // the committed end that the records follow
  std::vector<StagedRecord> records;
  StagedState state;
  std::size_t ended = 0;  // records that belong to commands that are complete

  Offset end() const { return Offset{start.value + records.size()}; }
};

class StagedTransaction final : public Transaction {
 public:
  // `committed` must outlive it; `ends[i]` is the committed end of claim.shards()[i].
  StagedTransaction(const CommittedState& committed, ShardClaims::Claim claim,
                    std::span<const Offset> ends);

  Transaction& in(ShardId shard) override;
  ShardId current_shard() const override;
  std::optional<std::string> get(std::string_view key) const override;
  void scan(std::string_view prefix, std::string_view from_key,
            const ScanCallback& callback) const override;
  void scan_reverse(std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const override;
  void put(std::string_view key, std::string_view value) override;
  void erase(std::string_view key) override;
  Offset append(ShardId shard, NewRecord record) override;
  void end_command(ShardId shard) override;
  Offset end(ShardId shard) const override;
  void savepoint() override;
  void rollback() override;
  std::size_t record_count() const override;
  std::size_t command_count() const override { return commands_; }
  std::size_t bytes() const override { return bytes_; }

  // For the adapter. The shards that have something to write; throws std::logic_error when the
  // transaction was committed before, has a command that was not ended, or state without records.
  std::vector<const StagedShard*> spend(const CommittedState& committed);
  // For a fold: the state writes of the one shard, without records.
  const StagedState& state_writes() const { return current().state; }

 private:
  struct Undo {
    std::size_t shard_index;
    std::string key;
    std::optional<std::optional<std::string>> before;  // nullopt: was not staged
  };
  // What the command in hand has read of the committed state: deciding and folding read the same.
  struct Read {
    std::size_t shard_index;
    std::string key;
    std::optional<std::string> value;
  };
  static constexpr std::size_t kReadsMax = 8;
  struct Savepoint {
    struct Counts {
      std::size_t records = 0;
      std::size_t ended = 0;
    };
    std::vector<Counts> shards;
    std::size_t commands = 0;
    std::size_t bytes = 0;
  };

  std::size_t index_of(ShardId shard) const;
  const StagedShard& current() const { return shards_[current_]; }
  void write(std::string_view key, std::optional<std::string> value);

  const CommittedState* committed_;
  ShardClaims::Claim claim_;
  std::vector<StagedShard> shards_;
  std::size_t current_ = 0;
  std::vector<Undo> undo_;  // since the savepoint
  Savepoint savepoint_;
  mutable std::vector<Read> reads_;
  std::size_t commands_ = 0;
  std::size_t bytes_ = 0;
  bool spent_ = false;
};

}  // namespace annolog::eventstore
