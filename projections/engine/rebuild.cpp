#include "projections/engine/rebuild.hpp"

#include <algorithm>
#include <utility>

#include "projections/engine/batch_applier.hpp"
#include "projections/engine/control.hpp"

namespace annolog::projections {
namespace {

using eventstore::ShardId;

constexpr std::int64_t kRebuildLock = 0x616e6e6f72656264;  // "annorebd"

constexpr Statement kTryLock{"rebuild_lock", "SELECT pg_try_advisory_lock($1::bigint)"};
constexpr Statement kUnlockRebuild{"rebuild_unlock", "SELECT pg_advisory_unlock($1::bigint)"};
constexpr Statement kNextGeneration{"rebuild_generation", R"sql(
SELECT greatest(r.generation,
  coalesce((SELECT max(c.generation) FROM annolog.checkpoints c), 0)) + 1
FROM annolog.read_models r
)sql"};
constexpr Statement kStart{"rebuild_start", R"sql(
UPDATE annolog.read_models SET building_generation = $1::bigint
)sql"};
constexpr Statement kForgetCheckpoints{"rebuild_forget_checkpoints", R"sql(
DELETE FROM annolog.checkpoints WHERE generation <> $1::bigint
)sql"};
constexpr Statement kForgetParked{"rebuild_forget_parked", R"sql(
DELETE FROM annolog.parked_events WHERE generation <> $1::bigint
)sql"};
constexpr Statement kSwap{"rebuild_swap", R"sql(
UPDATE annolog.read_models SET generation = $1::bigint, building_generation = NULL,
  version = $2::bigint, definition = $3::text, log_id = $4::text
)sql"};
// Whoever follows the checkpoints (checkpoint_watch.hpp) looks at them anew.
constexpr Statement kTellSwap{"rebuild_tell", "SELECT pg_notify('annolog_checkpoints', '')"};
constexpr Statement kOldSchemas{"rebuild_old_schemas", R"sql(
SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'read\_old\_%'
)sql"};

class Rebuild {
 public:
  Rebuild(eventstore::EventLog& log, const Unseal& unseal, platform::Logger& logger,
          const RebuildOptions& options)
      : log_(log),
        unseal_(unseal),
        logger_(logger),
        options_(options),
        connection_({.database_url = options.database_url,
                     .application_name = "annolog-rebuild",
                     .search_path = kBuildingSchema,
                     .connect_ms = 10'000,
                     .statement_ms = 3'600'000,
                     .read_only = false,
                     .keyed_plans = true,
                     .stopping = options.cancelled}),
        goal_(log.shard_count()),
        reader_(log, [this](ShardId shard) { return goal_[shard.value]; },
                {options.batch_records, options.batch_bytes}) {}

  RebuildReport run();

 private:
  void start();
  void catch_up(BatchApplier& applier, Settling& settling);
  void aim_at_end();
  void swap(BatchApplier& applier, Settling& settling);
  void drop_old();
  void note(std::size_t records);

  eventstore::EventLog& log_;
  const Unseal& unseal_;
  platform::Logger& logger_;
  const RebuildOptions& options_;
  PgConnection connection_;
  Positions goal_;  // catch_up() ends here, however fast the log grows
  LogReader reader_;
  RebuildReport report_;
};

void Rebuild::start() {
  if (!connection_.execute(kTryLock, Params().add(kRebuildLock)).row(0).boolean()) {
    throw RebuildRefused("another rebuild of these read models is under way");
  }
  connection_.run(std::string("DROP SCHEMA IF EXISTS ") + kBuildingSchema + " CASCADE");
  drop_old();
  connection_.run("BEGIN");
  const Control live = lock_control(connection_);
  report_.generation = connection_.execute(kNextGeneration).row(0).integer();
  connection_.execute(kForgetCheckpoints, Params().add(live.generation));
  connection_.execute(kForgetParked, Params().add(live.generation));
  connection_.execute(kStart, Params().add(report_.generation));
  connection_.run(std::string("CREATE SCHEMA ") + kBuildingSchema);
  connection_.run(read_schema_tables());
  connection_.run("COMMIT");
  reader_.start_at(load_positions(connection_, report_.generation, log_.shard_count()), {});
}

void Rebuild::note(std::size_t records) {
  report_.records += records;
  if (!options_.on_progress) return;
  RebuildProgress progress{report_.records, 0};
  for (std::uint16_t i = 0; i < log_.shard_count(); ++i) {
    progress.total += log_.end(ShardId{i}).value;
  }
  options_.on_progress(progress);
}

void Rebuild::aim_at_end() {
  log_.refresh();
  for (std::size_t i = 0; i < goal_.size(); ++i) {
    goal_[i] = log_.end(ShardId{static_cast<std::uint16_t>(i)});
  }
}

void Rebuild::catch_up(BatchApplier& applier, Settling& settling) {
  aim_at_end();
  while (true) {
    if (options_.cancelled && options_.cancelled()) throw RebuildCancelled("cancelled");
    ReadBatch batch = reader_.next();
    // Not before: of many changes of a batch its tasks then take in the last.
    if (batch.empty()) return settling.finish();
    // While this batch is written the next one is read: two batches are in memory at most.
    auto prepared = applier.prepare(batch);
    while (true) {
      bool refused = false;
      applier.send(prepared);
      ReadBatch next = reader_.next();
      BatchApplier::Prepared next_prepared;
      if (!next.empty()) next_prepared = applier.prepare(next);
      try {
        applier.finish();
      } catch (const PgError& error) {
        if (!error.is_data_error()) throw;
        refused = true;
      }
      if (refused && applier.apply_piecewise(batch) && !next.empty()) {
        next_prepared = applier.prepare(next);
      }
      for (const ReadRecord& read : batch) report_.parked += read.event ? 0 : 1;
      note(batch.size());
      if (next.empty()) break;
      if (options_.cancelled && options_.cancelled()) throw RebuildCancelled("cancelled");
      batch = std::move(next);
      prepared = std::move(next_prepared);
    }
  }
}

// No batch of the live projector can commit while the control row is locked; whatever it has
// applied must be in the new schema too, or a reader would see time go back.
void Rebuild::swap(BatchApplier& applier, Settling& settling) {
  connection_.run("BEGIN");
  const Control live = lock_control(connection_);
  const bool same_log = live.log_id == log_.log_info().log_id;
  const Positions shown =
      same_log ? load_positions(connection_, live.generation, log_.shard_count()) : Positions{};
  for (std::size_t i = 0; i < shown.size(); ++i) goal_[i] = std::max(goal_[i], shown[i]);
  bool refreshed = false;
  while (is_behind(reader_.positions(), shown)) {
    ReadBatch batch = reader_.next();
    if (batch.empty()) {
      if (std::exchange(refreshed, true)) break;  // they show what this log has lost
      log_.refresh();
      continue;
    }
    applier.apply_within(batch);
    note(batch.size());
  }
  settling.finish();
  const std::string old = "read_old_" + std::to_string(live.generation);
  connection_.run(std::string("ALTER SCHEMA ") + kLiveSchema + " RENAME TO " + old);
  connection_.run(std::string("ALTER SCHEMA ") + kBuildingSchema + " RENAME TO " + kLiveSchema);
  connection_.execute(kSwap, Params()
                                 .add(report_.generation)
                                 .add(kReadModelVersion)
                                 .add(read_schema_definition())
                                 .add(log_.log_info().log_id));
  connection_.execute(kForgetCheckpoints, Params().add(report_.generation));
  connection_.execute(kForgetParked, Params().add(report_.generation));
  connection_.execute(kTellSwap);
  connection_.run("COMMIT");
}

// An old schema that a long read still uses is left for the next rebuild.
void Rebuild::drop_old() {
  const Rows rows = connection_.execute(kOldSchemas);
  for (int i = 0; i < rows.size(); ++i) {
    const std::string name = rows.row(i).text();
    try {
      connection_.run("SET lock_timeout = '2s'");
      connection_.run("DROP SCHEMA " + name + " CASCADE");
    } catch (const PgError& error) {
      logger_.warn("old read models are still in use, left for the next rebuild",
                   {{"schema", name}, {"error", error.what()}});
    }
    connection_.run("SET lock_timeout = 0");
  }
}

RebuildReport Rebuild::run() {
  start();
  Settling settling(connection_, [](ShardId) { return true; }, {});
  BatchApplier applier(connection_, reader_, unseal_, settling, report_.generation,
                       [this](const ReadRecord&) { ++report_.parked; });
  catch_up(applier, settling);
  connection_.run(read_schema_indexes());
  for (const char* table :
       {"users", "projects", "project_classes", "members", "datasets", "dataset_links", "items",
        "tasks", "task_names", "annotations", "notifications", "audit_rows", "task_births",
        "task_events (project_id, task_id, log_offset)",
        "batch_events (project_id, batch_id, log_offset)",
        "project_events (project_id, log_offset)"}) {
    connection_.run(std::string("ANALYZE ") + table);
  }
  catch_up(applier, settling);
  while (true) {
    catch_up(applier, settling);  // little is left now, and less for the swap
    const Positions before = reader_.positions();
    try {
      swap(applier, settling);
      break;
    } catch (const PgError& error) {
      // Data that PostgreSQL refuses: parked outside the swap, then the swap once more.
      if (!error.is_data_error()) throw;
      connection_.run("ROLLBACK");
      reader_.start_at(before, load_parked_subjects(connection_, report_.generation));
    }
  }
  drop_old();
  // Now, not when PostgreSQL notices the end of this session: the next rebuild may come at once.
  connection_.execute(kUnlockRebuild, Params().add(kRebuildLock));
  return report_;
}

}  // namespace

RebuildReport rebuild_read_models(eventstore::EventLog& log, const Unseal& unseal,
                                  platform::Logger& logger, const RebuildOptions& options) {
  return Rebuild(log, unseal, logger, options).run();
}

}  // namespace annolog::projections
