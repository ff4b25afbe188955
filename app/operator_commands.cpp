#include "app/operator_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "app/say.hpp"
#include "app/storage.hpp"
#include "commands/runtime.hpp"
#include "projections/engine/migrator.hpp"
#include "projections/engine/rebuild.hpp"

namespace annolog::app {
namespace {

constexpr int kFailed = 1;

}  // namespace

int migrate(const platform::Settings& settings) {
  const auto report = projections::Migrator(settings.database_url).run();
  for (const auto& name : report.applied) say("applied " + name);
  say(fmt::format("the database is at migration {}", report.schema_number));
  return 0;
}

int rebuild_projections(const platform::Settings& settings, platform::Logger& logger) {
  projections::Migrator(settings.database_url).run();
  const auto log = open_log(settings, logger, true);
  const auto keyring = platform::Keyring::open(DataFolders(settings).keys);
  const auto key_store = open_subject_keys(settings, keyring, logger);
  const auto keys = person_keys(*key_store);
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

int rotate_keys(const platform::Settings& settings) {
  platform::Keyring keyring = platform::Keyring::open(DataFolders(settings).keys);
  std::printf("%s\n", keyring.rotate().c_str());
  return 0;
}

int list_keys(const platform::Settings& settings) {
  const auto keyring = platform::Keyring::open(DataFolders(settings).keys);
  for (const auto& kid : keyring.kids()) std::printf("%s\n", kid.c_str());
  return 0;
}

}  // namespace annolog::app
