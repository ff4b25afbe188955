#include "projections/engine/batch_applier.hpp"

#include <utility>

#include "projections/engine/checkpoint_news.hpp"
#include "projections/engine/row_batch.hpp"
#include "projections/engine/unsynced_transaction.hpp"
#include "projections/happened.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kTellOthers{"checkpoints_tell", R"sql(
SELECT pg_notify('annolog_checkpoints', $1::text)
)sql"};

// Where each shard's run begins and ends.
struct Run {
  std::int32_t shard;
  std::int64_t expected;
  std::int64_t reached;
};

std::vector<Run> runs_of(std::span<const ReadRecord> batch) {
  std::vector<Run> runs;
  for (const ReadRecord& read : batch) {
    const std::int32_t shard = read.record.position.shard.value;
    const auto offset = static_cast<std::int64_t>(read.record.position.offset.value);
    if (runs.empty() || runs.back().shard != shard) runs.push_back({shard, offset - 1, offset});
    runs.back().reached = offset;
  }
  return runs;
}

Params advance_params(std::int64_t generation, const std::vector<Run>& runs) {
  Params params;
  params.add(generation);
  {
    ArrayParam shards(params, PgType::int4);
    for (const Run& run : runs) shards.add_int4(run.shard);
  }
  add_column(params, PgType::int8, runs, [](const Run& run) { return run.expected; });
  add_column(params, PgType::int8, runs, [](const Run& run) { return run.reached; });
  return params;
}

std::string news_of(std::int64_t generation, const std::vector<Run>& runs,
                    const Settling& settling) {
  CheckpointNews news{generation, {}};
  for (const Run& run : runs) {
    const eventstore::ShardId shard(static_cast<std::uint16_t>(run.shard));
    const eventstore::Offset reached(static_cast<std::uint64_t>(run.reached));
    news.reached.push_back({{shard, reached}, !settling.any(shard)});
  }
  return to_text(news);
}

std::string printable(std::string text) {
  std::erase(text, '\0');
  return text;
}

Params park_params(std::int64_t generation, const std::vector<const ReadRecord*>& parked) {
  Params params;
  params.add(generation);
  {
    ArrayParam shards(params, PgType::int4);
    for (const ReadRecord* r : parked) shards.add_int4(r->record.position.shard.value);
  }
  add_column(params, PgType::int8, parked, [](const ReadRecord* r) {
    return static_cast<std::int64_t>(r->record.position.offset.value);
  });
  add_column(params, PgType::text, parked,
             [](const ReadRecord* r) { return printable(r->record.headers.type); });
  add_column(params, PgType::text, parked,
             [](const ReadRecord* r) { return printable(r->record.headers.subject); });
  add_column(params, PgType::text, parked,
             [](const ReadRecord* r) { return printable(r->park_reason); });
  return params;
}

}  // namespace

BatchApplier::BatchApplier(PgConnection& connection, LogReader& reader, const Unseal& unseal,
                           Settling& settling, std::int64_t generation, OnParked on_parked,
                           Telling telling)
    : connection_(connection),
      reader_(reader),
      unseal_(unseal),
      settling_(settling),
      generation_(generation),
      on_parked_(std::move(on_parked)),
      telling_(telling) {
  for (const Statement* statement : {&kBegin, &kDontWait, &kCommit, &kTellOthers}) {
    connection_.prepare(*statement);
  }
}

BatchApplier::Prepared BatchApplier::prepare(std::span<ReadRecord> batch) {
  const std::vector<Run> runs = runs_of(batch);
  Prepared prepared{advance_params(generation_, runs), {}, {}};
  RowBatch rows(unseal_, settling_.of_tasks());
  std::vector<const ReadRecord*> parked;
  for (ReadRecord& read : batch) {
    reader_.check_parked(read);
    if (read.event) {
      const Happened how = happened(read.record.headers);
      rows.apply(*read.event, how, read.record.position);
      rows.keep(*read.event, how, read.record);
      if (std::holds_alternative<BatchAssigned>(*read.event)) {
        settling_.expect(read.record.position.shard);
      }
    } else {
      parked.push_back(&read);
    }
  }
  if (!parked.empty()) prepared.rows.add(kParkEvents, park_params(generation_, parked));
  prepared.rows.append(rows.take());
  if (telling_ == Telling::others) prepared.news = news_of(generation_, runs, settling_);
  return prepared;
}

void BatchApplier::tell_settled(std::span<const eventstore::ShardId> shards,
                                const ReadBarrier& barrier) {
  if (telling_ == Telling::nobody || shards.empty()) return;
  CheckpointNews news{generation_, {}};
  for (const auto shard : shards) news.reached.push_back({{shard, barrier.applied(shard)}, true});
  connection_.execute(kTellOthers, Params().add(to_text(news)));
}

void BatchApplier::send_start(const Prepared& batch, Within transaction) {
  if (transaction == Within::own_transaction) {
    connection_.send(kBegin);
    connection_.send(kDontWait);
  }
  connection_.send(kAdvanceCheckpoints, batch.checkpoints);
  if (!batch.news.empty()) connection_.send(kTellOthers, Params().add(batch.news));
}

// COPY has no place in a pipeline: the start goes before it, the other statements after it.
void BatchApplier::copy_rows(const Prepared& batch, Within transaction) {
  connection_.enter_pipeline();
  send_start(batch, transaction);
  connection_.sync_pipeline();
  connection_.leave_pipeline();
  batch.rows.copy_on(connection_);
}

void BatchApplier::send(const Prepared& batch, Within transaction) {
  connection_.prepare(kAdvanceCheckpoints);
  batch.rows.prepare_on(connection_);
  const bool copies = batch.rows.has_copies();
  if (copies) {
    try {
      copy_rows(batch, transaction);
    } catch (const PgError&) {
      refused_ = std::current_exception();
      return;
    }
  }
  connection_.enter_pipeline();
  if (!copies) send_start(batch, transaction);
  batch.rows.send_on(connection_);
  if (transaction == Within::own_transaction) connection_.send(kCommit);
  connection_.sync_pipeline();
}

void BatchApplier::send(const Prepared& batch) { send(batch, Within::own_transaction); }

void BatchApplier::rollback() {
  if (!connection_.broken()) connection_.run("ROLLBACK");
}

void BatchApplier::finish() {
  try {
    if (refused_) std::rethrow_exception(std::exchange(refused_, nullptr));
    connection_.leave_pipeline();
  } catch (...) {
    rollback();
    throw;
  }
}

void BatchApplier::apply_within(std::span<ReadRecord> batch) {
  send(prepare(batch), Within::callers_transaction);
  finish();
  for (const ReadRecord& read : batch) {
    if (!read.event) on_parked_(read);
  }
}

bool BatchApplier::apply_piecewise(std::span<ReadRecord> batch) {
  try {
    send(prepare(batch));
    finish();
    return false;
  } catch (const PgError& error) {
    if (!error.is_data_error()) throw;
    if (batch.size() == 1) {
      ReadRecord& read = batch.front();
      if (!read.event) throw;  // parking itself is refused
      read.event.reset();
      read.park_reason = error.what();
      reader_.park(read.record.headers.subject);
      send(prepare(batch));
      finish();
      return true;
    }
  }
  const std::size_t half = batch.size() / 2;
  const bool first = apply_piecewise(batch.first(half));
  const bool second = apply_piecewise(batch.subspan(half));
  return first || second;
}

void BatchApplier::apply(std::span<ReadRecord> batch) {
  try {
    send(prepare(batch));
    finish();
  } catch (const PgError& error) {
    if (!error.is_data_error()) throw;
    apply_piecewise(batch);
  }
  for (const ReadRecord& read : batch) {
    if (!read.event) on_parked_(read);
  }
}

}  // namespace annolog::projections
