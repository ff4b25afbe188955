// Turns a batch of records into statements and applies them together with the checkpoints, in one
// transaction and one round trip. A record whose data PostgreSQL refuses is found by halving and
// parked. One thread. Errors: pg/errors.hpp; after one, no transaction is open on the connection.
#pragma once

#include <exception>
#include <functional>
#include <span>

#include "projections/engine/log_reader.hpp"
#include "projections/engine/settling.hpp"
#include "projections/engine/unseal.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class BatchApplier {
 public:
  using OnParked = std::function<void(const ReadRecord&)>;

  // Whether other processes are told of each batch (checkpoint_news.hpp).
  enum class Telling { nobody, others };
  // `settling` hears of the shards where tasks may be left to follow their batches.
  BatchApplier(PgConnection& connection, LogReader& reader, const Unseal& unseal,
               Settling& settling, std::int64_t generation, OnParked on_parked,
               Telling telling = Telling::nobody);

  // A batch on its way. The checkpoints go first: they hold up every other projector.
  struct Prepared {
    Params checkpoints;
    StatementQueue rows;
    std::string news;  // for others; empty: nobody is told
  };
  // May be called while the batch before is under way.
  Prepared prepare(std::span<ReadRecord> batch);

  // Begins, applies and commits; in two steps, so that the next batch can be prepared meanwhile.
  // What PostgreSQL refuses is told by finish().
  void send(const Prepared& batch);
  void finish();
  // Within the caller's transaction.
  void apply_within(std::span<ReadRecord> batch);

  // After finish() threw an error of the data: applies the batch piece by piece, parks what is
  // refused. True when something was parked.
  bool apply_piecewise(std::span<ReadRecord> batch);

  // The shards where all tasks follow their batches again, told to others.
  void tell_settled(std::span<const eventstore::ShardId> shards, const ReadBarrier& barrier);

  // send(), finish() and, when the data is refused, apply_piecewise().
  void apply(std::span<ReadRecord> batch);

 private:
  enum class Within { own_transaction, callers_transaction };
  void send(const Prepared& batch, Within transaction);
  void send_start(const Prepared& batch, Within transaction);
  void copy_rows(const Prepared& batch, Within transaction);
  void rollback();

  PgConnection& connection_;
  LogReader& reader_;
  const Unseal& unseal_;
  Settling& settling_;
  std::int64_t generation_;
  OnParked on_parked_;
  Telling telling_;
  std::exception_ptr refused_;  // while sending
};

}  // namespace annolog::projections
