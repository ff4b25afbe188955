#include "tests/integration/projections/world.hpp"

#include <array>
#include <thread>

namespace annolog::projections::testing {

using eventstore::ShardId;

World::World(std::size_t batch_records, std::int64_t gather_ms)
    : logger(clock, platform::LogLevel::debug,
             [this](std::string_view line) {
               const std::lock_guard lock(lines_mutex);
               lines.emplace_back(line);
             }),
      batch_records_(batch_records),
      gather_ms_(gather_ms) {
  // A stand-in for the keys: what is sealed is the text with a mark; "erased" has no key.
  unseal = [](UserId, const Sealed& sealed) -> std::optional<std::string> {
    if (sealed.base64 == "erased") return std::nullopt;
    return sealed.base64.substr(std::string_view("sealed:").size());
  };
  Migrator(database.url()).run();
  pool = std::make_unique<ReadPool>(ReadPoolOptions{.database_url = database.url(),
                                                    .connections = 4,
                                                    .checkout_ms = 20'000,
                                                    .connect_ms = 20'000,
                                                    .statement_ms = 20'000});
}

World::~World() { stop(); }

void World::append(std::uint16_t shard, const std::vector<Event>& events, By by) {
  const std::array shards{ShardId{shard}};
  const auto transaction = log->begin(shards);
  for (const Event& event : events) {
    const auto encoded = codec::encode_event(event);
    eventstore::NewRecord record;
    record.headers.id = "e";
    record.headers.type = std::string(encoded.type);
    record.headers.schema_version = encoded.version;
    record.headers.subject = encoded.subject;
    record.headers.time_ms = by.at_ms;
    record.headers.actor = std::to_string(by.actor);
    record.data = encoded.data;
    transaction->append(ShardId{shard}, std::move(record));
  }
  transaction->end_command(ShardId{shard});
  ASSERT_EQ(log->commit(*transaction), eventstore::CommitOutcome::ok);
}

void World::append_raw(std::uint16_t shard, eventstore::RecordHeaders headers, std::string data) {
  const std::array shards{ShardId{shard}};
  const auto transaction = log->begin(shards);
  transaction->append(ShardId{shard}, {std::move(headers), std::move(data)});
  transaction->end_command(ShardId{shard});
  ASSERT_EQ(log->commit(*transaction), eventstore::CommitOutcome::ok);
}

void World::start() {
  ProjectorOptions options;
  options.database_url = database.url();
  options.batch_records = batch_records_;
  options.gather_ms = gather_ms_;
  options.busy_per_s = busy_per_s;
  options.settle_tasks = settle_tasks;
  options.settle_step = settle_step;
  options.births_max = births_max;
  options.connect_ms = 20'000;
  options.retry_least_ms = 1;
  options.retry_most_ms = 20;
  projector = std::make_unique<Projector>(
      Projector::Dependencies{*log, barrier, clock, logger, metrics, unseal}, options);
  for (const CommitListener& listener : listeners) projector->on_commit(listener);
  projector->start(known);
}

void World::stop() { projector.reset(); }

void World::settle() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (std::uint16_t i = 0; i < kShards; ++i) {
    // A wait ends early while the database is away.
    while (!barrier.wait(ShardId{i}, log->end(ShardId{i}), deadline)) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline)
          << "shard " << i << ": " << (projector ? projector->detail() : "no projector");
      std::this_thread::yield();
    }
  }
  while (!barrier.all_settled()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "batches are never settled";
    std::this_thread::yield();
  }
}

RebuildReport World::rebuild() {
  return rebuild_read_models(*log, unseal, logger,
                             {.database_url = database.url(), .on_progress = {}, .cancelled = {}});
}

std::string World::dump(const std::string& schema) {
  std::string text;
  for (const char* table : {"users",
                            "projects",
                            "project_classes",
                            "members",
                            "guide_assets",
                            "batches",
                            "unsettled_batches",
                            "datasets",
                            "dataset_links",
                            "items",
                            "tasks",
                            "annotations",
                            "comments",
                            "task_counts",
                            "unclassified_counts",
                            "dataset_task_counts",
                            "task_names",
                            "assignee_task_counts",
                            "annotation_counts",
                            "notifications",
                            "notification_counts",
                            "muted_notifications",
                            "early_notification_reads",
                            "notification_all_reads",
                            "work_counts",
                            "class_namings",
                            "task_births",
                            "task_events",
                            "batch_events",
                            "project_events"}) {
    text += std::string("== ") + table + "\n";
    // A counter that has come back to nothing is as none.
    const bool may_come_back = std::string_view(table) == "task_counts" ||
                               std::string_view(table) == "assignee_task_counts";
    const std::string only = may_come_back ? " WHERE t.tasks <> 0" : "";
    text += ask(database.url(),
                std::string("SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') "
                            "FROM ") +
                    table + " t" + only,
                schema) +
            "\n";
  }
  return text;
}

std::size_t World::logged(const std::string& text) {
  const std::lock_guard lock(lines_mutex);
  std::size_t count = 0;
  for (const std::string& line : lines) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

}  // namespace annolog::projections::testing
