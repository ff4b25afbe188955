// Turns a batch of records into statements and applies them together with the checkpoints, in one
// transaction and one round trip. A record whose data PostgreSQL refuses is found by halving and
// parked. One thread. Errors: pg/errors.hpp; after one, no transaction is open on the connection.
#pragma once

#include <functional>
#include <span>

#include "projections/engine/log_reader.hpp"
#include "projections/engine/unseal.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class BatchApplier {
 public:
  using OnParked = std::function<void(const ReadRecord&)>;

  BatchApplier(PgConnection& connection, LogReader& reader, const Unseal& unseal,
               std::int64_t generation, OnParked on_parked);

  // May be called while the batch before is under way.
  StatementQueue prepare(std::span<ReadRecord> batch);

  // Begins, applies and commits; in two steps, so that the next batch can be prepared meanwhile.
  void send(const StatementQueue& statements);
  void finish();
  // Within the caller's transaction.
  void apply_within(std::span<ReadRecord> batch);

  // After finish() threw an error of the data: applies the batch piece by piece, parks what is
  // refused. True when something was parked.
  bool apply_piecewise(std::span<ReadRecord> batch);

  // send(), finish() and, when the data is refused, apply_piecewise().
  void apply(std::span<ReadRecord> batch);

 private:
  void rollback();

  PgConnection& connection_;
  LogReader& reader_;
  const Unseal& unseal_;
  std::int64_t generation_;
  OnParked on_parked_;
};

}  // namespace annolog::projections
