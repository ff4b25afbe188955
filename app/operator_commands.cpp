#include "app/operator_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "app/storage.hpp"
#include "commands/runtime.hpp"
#include "platform/encoding.hpp"
#include "projections/engine/migrator.hpp"
#include "projections/engine/rebuild.hpp"

namespace annolog::app {
namespace {

constexpr int kFailed = 1;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::string hex(const eventstore::Hash& hash) {
  return platform::to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

}  // namespace

int verify_log(const platform::Settings& settings, platform::Logger& logger) {
  const auto log = open_log(settings, logger, true);
  std::uint64_t records = 0;
  bool sound = true;
  for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
    try {
      const auto report = log->verify(eventstore::ShardId(s), eventstore::Offset{}, {});
      records += report.records;
      if (report.records > 0) {
        say(fmt::format("shard {}: {} records, chain {}", s, report.records, hex(report.chain)));
      }
    } catch (const eventstore::LogCorrupted& error) {
      sound = false;
      say(fmt::format("shard {}: DAMAGED: {}", s, error.what()));
    }
  }
  say(fmt::format("{}: {} records in {} shards", sound ? "OK" : "DAMAGED", records,
                  log->shard_count()));
  return sound ? 0 : kFailed;
}

int show_log(const platform::Settings& settings, platform::Logger& logger) {
  const auto log = open_log(settings, logger, true);
  const auto info = log->log_info();
  say(fmt::format("log {} format {} shards {}", info.log_id, info.format_version,
                  info.shard_count));
  std::uint64_t records = 0;
  for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
    const eventstore::ShardId shard(s);
    const auto end = log->end(shard).value;
    if (end == 0) continue;
    records += end;
    say(fmt::format("shard {}: end {} state {}", s, end, log->state_position(shard).value));
  }
  say(fmt::format("{} records", records));
  return 0;
}

int migrate(const platform::Settings& settings) {
  const auto report = projections::Migrator(settings.database_url).run();
  for (const auto& name : report.applied) say("applied " + name);
  say(fmt::format("the database is at migration {}", report.schema_number));
  return 0;
}

int rebuild_projections(const platform::Settings& settings, platform::Logger& logger) {
  projections::Migrator(settings.database_url).run();
  const auto key_store = open_subject_keys(settings);
  const auto keys = person_keys(*key_store);
  const auto log = open_log(settings, logger, true);
  projections::RebuildOptions options;
  options.database_url = settings.database_url;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  options.on_progress = [terminal](const projections::RebuildProgress& progress) {
    std::fputs(fmt::format("{}{} of {} records{}", terminal ? "\r" : "", progress.applied,
                           progress.total, terminal ? "" : "\n")
                   .c_str(),
               stderr);
  };
  const auto report = projections::rebuild_read_models(*log, unseal_with(keys), logger, options);
  if (terminal) std::fputs("\n", stderr);
  say(fmt::format("rebuilt from {} records, {} parked; generation {} is live", report.records,
                  report.parked, report.generation));
  return report.parked == 0 ? 0 : kFailed;
}

int refold_state(const platform::Settings& settings, platform::Logger& logger) {
  const auto log = open_log(settings, logger, false);
  commands::refold_all(*log, [&](std::uint16_t shard) {
    const auto end = log->end(eventstore::ShardId(shard)).value;
    if (end > 0) say(fmt::format("shard {}: folded {} records", shard, end));
  });
  say("OK: the state is folded from the log");
  return 0;
}

}  // namespace annolog::app
