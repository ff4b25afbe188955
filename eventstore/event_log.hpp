// The port to the log: append-only records in shards, the state folded from them, tailing.
// Adapters: memory/ (tests), rocksdb/ (embedded), kafka/ (many nodes).
//
// Threads: every EventLog method may be called from any thread. Each shard has one writer at a
// time: begin() claims its shards until the Transaction is destroyed, a second claim throws
// std::logic_error. A Transaction belongs to one thread and must not outlive its log.
// Errors: eventstore/errors.hpp. Source: architecture "The write path"; docs/log-format.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eventstore/errors.hpp"
#include "eventstore/record.hpp"
#include "eventstore/state.hpp"

namespace annolog::eventstore {

// A group of commands for shards of one writer: all of it is committed in one atomic, synced write.
// Per command: savepoint(), in(shard), read and write state, append(...), end_command(shard); or
// rollback() when it is refused. State may change only together with a record of the same shard:
// it is a fold of the records, and commit() throws std::logic_error otherwise.
class Transaction : public StateWriter {
 public:
  // Chooses the shard that get, scan, put and erase speak of; before it, the first one claimed.
  virtual Transaction& in(ShardId shard) = 0;
  virtual ShardId current_shard() const = 0;
  // The offset the record will have once committed (a later rollback gives it to another one).
  virtual Offset append(ShardId shard, NewRecord record) = 0;
  // Marks the shard's last appended record as the last of its command; nothing appended since the
  // last call: no effect.
  virtual void end_command(ShardId shard) = 0;
  // Where the next record of the shard will stand: the committed end and what is appended here.
  virtual Offset end(ShardId shard) const = 0;
  // A savepoint replaces the one before it. rollback() drops all records and state writes since
  // the savepoint (or since begin() without one) and keeps it.
  virtual void savepoint() = 0;
  virtual void rollback() = 0;
  virtual std::size_t record_count() const = 0;
  virtual std::size_t command_count() const = 0;  // end_command() calls that marked a record
  virtual std::size_t bytes() const = 0;          // about what the commit will write
};

enum class CommitOutcome {
  ok,                // durable: synced, visible to readers
  refused_no_space,  // nothing was written: disk full or read-only; try later, new transaction
  fatal,             // a failed sync or corruption: the process must stop, the restart tells
  // Of a log that lies elsewhere only:
  aborted,          // nothing was written; try again with a new transaction
  not_owner,        // the same, as the shards belong to another writer now
  outcome_unknown,  // the cluster was asked to commit and never answered: read to find out
};

struct ReadLimits {
  std::size_t max_records = 1000;
  std::size_t max_bytes = 4U << 20U;  // of data; the first record always fits
};

struct LogInfo {
  std::string log_id;  // random UUID, given at creation
  int format_version = 1;
  std::uint16_t shard_count = 0;
};

struct LogHealth {
  bool writable = true;  // the next commit may succeed
  bool fatal = false;    // commits fail until the process is restarted
  std::string detail;    // empty when all is well; one line for a person otherwise
};

struct VerifyReport {
  std::uint64_t records = 0;  // checked in this run
  Offset end;
  Hash chain{};  // of the last record: publish it to prove later that nothing before it changed
};
using VerifyProgress = std::function<void(Offset reached, Offset end)>;

// Called after each commit, on the committing thread, and when another process has committed, on a
// thread of the log: be quick, take no lock held around commit(), don't throw, don't (un)subscribe
// from within.
using EndCallback = std::function<void(ShardId shard, Offset end)>;

// Ends its subscription when destroyed; no call runs any more once the destructor has returned.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

class EventLog {
 public:
  virtual ~EventLog() = default;

  virtual LogInfo log_info() const = 0;
  virtual std::uint16_t shard_count() const = 0;

  // Claims the shards for one group of commands. Throws std::logic_error when one is claimed
  // already, or when its state lags behind its end (fold it first with apply_state).
  virtual std::unique_ptr<Transaction> begin(std::span<const ShardId> shards) = 0;
  // The transaction is spent afterwards, whatever the outcome: destroy it. An empty one is ok.
  virtual CommitOutcome commit(Transaction& transaction) = 0;

  virtual Offset end(ShardId shard) const = 0;  // the last committed record
  // The same, asked of the store if it is elsewhere: end() is what this process has heard. Blocks
  // as long. Throws LogUnavailable.
  virtual Offset latest_end(ShardId shard, std::chrono::milliseconds /*longest*/) const {
    return end(shard);
  }
  // Records after `after`, in order, committed ones only; empty at the end. Throws LogCorrupted.
  virtual std::vector<Record> read(ShardId shard, Offset after, const ReadLimits& limits) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Subscription> subscribe(EndCallback callback) = 0;

  virtual std::unique_ptr<StateSnapshot> state(ShardId shard) const = 0;
  virtual Offset state_position(ShardId shard) const = 0;
  // Refold. reset_state drops the shard's state and sets its position to 0. apply_state writes
  // state folded up to `reached` together with that position; not synced: it can be done again.
  // Both claim the shard for the call, and throw LogUnavailable when nothing was written.
  virtual void reset_state(ShardId shard) = 0;
  virtual void apply_state(ShardId shard, Offset reached,
                           const std::function<void(StateWriter&)>& fold) = 0;

  // Re-reads all records after `from` and recomputes their chain; throws LogCorrupted at the first
  // that is altered, dropped or out of order. `from` > 0 trusts the chain stored at `from`.
  virtual VerifyReport verify(ShardId shard, Offset from, const VerifyProgress& progress) const = 0;

  virtual LogHealth health() const = 0;
  // A log opened for reading only: takes in what its writer, another process, has committed since.
  // No other call may run meanwhile, and no snapshot may be left. A log with its own writer:
  // nothing.
  virtual void refresh() {}

  // After refused_no_space: tries to take up writing again, at most once per back-off interval
  // (commit() does it too). True: the log is writable.
  virtual bool try_resume() = 0;
};

}  // namespace annolog::eventstore
