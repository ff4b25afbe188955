#include "app/log_place.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "app/storage.hpp"
#include "eventstore/kafka/kafka_import.hpp"
#include "eventstore/rocksdb/rocksdb_import.hpp"

namespace annolog::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRocksdb = "rocksdb:";
constexpr std::string_view kKafka = "kafka:";
constexpr std::size_t kAheadBytesInLine = 16U << 20U;

[[noreturn]] void malformed(std::string_view text, std::string_view why) {
  throw std::invalid_argument(
      fmt::format("\"{}\": {}; a log is rocksdb:DIR or kafka:BOOTSTRAP[/PREFIX]", text, why));
}

LogPlace parse_kafka(std::string_view text) {
  const std::string_view rest = text.substr(kKafka.size());
  const auto slash = rest.find('/');
  LogPlace place{.bootstrap = std::string(rest.substr(0, slash)),
                 .prefix = platform::Settings().kafka_prefix};
  if (place.bootstrap.empty()) malformed(text, "it names no broker");
  if (slash == std::string_view::npos) return place;
  place.prefix = rest.substr(slash + 1);
  // The setting's own rules.
  const auto checked = platform::load_settings({.flags = {{"kafka_prefix", place.prefix}}});
  if (!checked) malformed(text, checked.error().message);
  return place;
}

eventstore::RocksdbLogOptions rocksdb_options(const LogPlace& place, platform::Logger& logger) {
  eventstore::RocksdbLogOptions options;
  options.folder = place.folder;
  options.shard_count = 0;
  options.warn = [&logger](std::string_view line) {
    logger.warn("the log's store", {{"detail", line}});
  };
  return options;
}

// The data folder instead of the log in it is the mistake that is made.
std::string hint(const LogPlace& place) {
  if (place.folder.empty() || fs::exists(place.folder / "CURRENT")) return {};
  const fs::path log = place.folder / "log";
  if (!fs::exists(log / "CURRENT")) return {};
  return fmt::format(" (there is one in {})", log.string());
}

template <class Open>
auto naming(const LogPlace& place, const Open& open) {
  try {
    return open();
  } catch (const eventstore::LogRefused& error) {
    throw eventstore::LogRefused(
        fmt::format("{}: {}{}", to_text(place), error.what(), hint(place)));
  } catch (const eventstore::LogUnavailable& error) {
    throw eventstore::LogUnavailable(fmt::format("{}: {}", to_text(place), error.what()));
  } catch (const eventstore::LogCorrupted& error) {
    throw eventstore::LogCorrupted(fmt::format("{}: {}", to_text(place), error.what()));
  }
}

}  // namespace

LogPlace parse_log_place(std::string_view text) {
  if (text.starts_with(kKafka)) return parse_kafka(text);
  if (!text.starts_with(kRocksdb)) malformed(text, "it doesn't say in which store");
  const fs::path folder = text.substr(kRocksdb.size());
  if (folder.empty()) malformed(text, "it names no folder");
  return {.folder = fs::weakly_canonical(folder)};
}

std::string to_text(const LogPlace& place) {
  if (!place.folder.empty()) return std::string(kRocksdb) + place.folder.string();
  return fmt::format("{}{}/{}", kKafka, place.bootstrap, place.prefix);
}

LogPlace place_of_log(const platform::Settings& settings) {
  if (settings.log == "kafka")
    return {.bootstrap = settings.kafka_bootstrap, .prefix = settings.kafka_prefix};
  return {.folder = fs::weakly_canonical(DataFolders(settings).log)};
}

platform::Settings settings_at(const LogPlace& place, platform::Settings settings) {
  settings.log = place.folder.empty() ? "kafka" : "rocksdb";
  settings.kafka_bootstrap = place.bootstrap;
  settings.kafka_prefix = place.prefix;
  return settings;
}

std::unique_ptr<eventstore::EventLog> open_for_reading(const LogPlace& place,
                                                       const platform::Settings& settings,
                                                       platform::Logger& logger, Reading reading) {
  return naming(place, [&]() -> std::unique_ptr<eventstore::EventLog> {
    if (!place.folder.empty()) {
      auto options = rocksdb_options(place, logger);
      options.read_only = true;
      return eventstore::open_rocksdb_log(options);
    }
    auto options = kafka_log_options(settings_at(place, settings), logger);
    options.create = false;
    options.state_folder.clear();
    if (reading == Reading::in_line) options.ahead_bytes = kAheadBytesInLine;
    return eventstore::open_kafka_log(options);
  });
}

std::unique_ptr<eventstore::RecordImport> open_for_copying(const LogPlace& place,
                                                           const platform::Settings& settings,
                                                           platform::Logger& logger,
                                                           const eventstore::LogInfo& info) {
  return naming(place, [&]() -> std::unique_ptr<eventstore::RecordImport> {
    if (!place.folder.empty())
      return eventstore::open_rocksdb_import(rocksdb_options(place, logger), info);
    const auto log = kafka_log_options(settings_at(place, settings), logger);
    return eventstore::open_kafka_import({.connection = log.connection,
                                          .topic_prefix = log.topic_prefix,
                                          .replication = log.replication},
                                         info);
  });
}

}  // namespace annolog::app
