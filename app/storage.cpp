#include "app/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "eventstore/files/file_subject_keys.hpp"
#include "eventstore/kafka/kafka_key_import.hpp"
#include "eventstore/kafka/kafka_subject_keys.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"
#include "platform/seldom_warnings.hpp"

namespace annolog::app {

namespace fs = std::filesystem;

namespace {

eventstore::KafkaSubjectKeysOptions kafka_key_options(const platform::Settings& settings,
                                                      const platform::Keyring& keyring,
                                                      platform::Logger& logger) {
  eventstore::KafkaSubjectKeysOptions options;
  options.connection = kafka_log_options(settings, logger).connection;
  options.topic = eventstore::kafka::TopicNames(settings.kafka_prefix).subject_keys;
  options.wrapping_key = keyring.lasting(platform::Purpose::subject_keys);
  return options;
}

}  // namespace

DataFolders::DataFolders(const platform::Settings& settings)
    : root(settings.data_dir),
      log(root / "log"),
      state(root / "state"),
      keys(settings.keys_dir.empty() ? root / "keys" : fs::path(settings.keys_dir)),
      subject_keys(keys / "subjects"),
      objects(settings.objects_dir.empty() ? root / "objects" : fs::path(settings.objects_dir)),
      run(root / "run") {}

void DataFolders::create() const {
  for (const auto& folder : {root, log, state, keys, subject_keys, objects, run}) {
    fs::create_directories(folder);
  }
  for (const auto& folder : {log, state, keys, subject_keys}) {
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::replace);
  }
  // PostgreSQL's socket may lie in it, and its server may be another user: passable, not readable.
  constexpr auto kPassable = fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(run, kPassable, fs::perm_options::replace);
}

std::unique_ptr<eventstore::EventLog> open_log(const platform::Settings& settings,
                                               platform::Logger& logger, bool read_only) {
  if (settings.log == "kafka") {
    auto options = kafka_log_options(settings, logger);
    options.create = !read_only;
    if (read_only) options.state_folder.clear();
    return eventstore::open_kafka_log(options);
  }
  eventstore::RocksdbLogOptions options;
  options.folder = DataFolders(settings).log;
  options.shard_count = read_only ? 0 : static_cast<std::uint16_t>(settings.shards);
  options.read_only = read_only;
  options.warn = [&logger](std::string_view line) {
    logger.warn("the log's store", {{"detail", line}});
  };
  return eventstore::open_rocksdb_log(options);
}

bool has_role(const platform::Settings& settings, std::string_view role) {
  const auto& roles = settings.roles;
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

eventstore::KafkaLogOptions kafka_log_options(const platform::Settings& settings,
                                              platform::Logger& logger) {
  if (settings.kafka_bootstrap.empty())
    throw std::runtime_error("kafka_bootstrap must name the brokers of the event log");
  // The events of a request, which say more than it did, must fit in one message.
  constexpr std::int64_t kMaxBodyBytes = eventstore::kafka::kMaxMessageBytes / 4;
  if (settings.max_body_bytes > kMaxBodyBytes)
    throw std::runtime_error(fmt::format("max_body_bytes is {}, with the log in Kafka {} at most",
                                         settings.max_body_bytes, kMaxBodyBytes));
  eventstore::KafkaLogOptions options;
  options.connection.bootstrap = settings.kafka_bootstrap;
  for (const std::string& property : settings.kafka_properties) {
    const auto sign = property.find('=');
    options.connection.properties[property.substr(0, sign)] = property.substr(sign + 1);
  }
  static const platform::SystemClock clock;
  options.connection.warn = [warnings = std::make_shared<platform::SeldomWarnings>(
                                 logger, clock, "kafka")](std::string_view line) {
    warnings->warn(line);
  };
  options.topic_prefix = settings.kafka_prefix;
  options.shard_count = static_cast<std::uint16_t>(settings.shards);
  options.replication = static_cast<std::int32_t>(settings.kafka_replication);
  options.state_folder = DataFolders(settings).state;
  return options;
}

std::unique_ptr<eventstore::SubjectKeys> open_subject_keys(const platform::Settings& settings,
                                                           const platform::Keyring& keyring,
                                                           platform::Logger& logger) {
  if (settings.log != "kafka")
    return eventstore::open_file_subject_keys(DataFolders(settings).subject_keys);
  return eventstore::open_kafka_subject_keys(kafka_key_options(settings, keyring, logger));
}

std::unique_ptr<eventstore::SubjectKeyImport> open_key_import(const platform::Settings& settings,
                                                              const platform::Keyring& keyring,
                                                              platform::Logger& logger) {
  if (settings.log != "kafka")
    return eventstore::open_file_key_import(DataFolders(settings).subject_keys);
  return eventstore::open_kafka_key_import(kafka_key_options(settings, keyring, logger));
}

projections::Unseal unseal_with(const api::PersonKeys& keys) {
  return [&keys](UserId, const Sealed& sealed) { return api::open_sealed(keys, sealed); };
}

api::PersonKeys person_keys(eventstore::SubjectKeys& keys) {
  return {[&keys](std::string_view id) -> std::optional<platform::SubjectKey> {
            const auto key = keys.get(id);
            if (!key) return std::nullopt;
            return platform::SubjectKey{*key};
          },
          [&keys](std::string_view id) { keys.create(id); },
          [&keys](std::string_view id) { keys.erase(id); }};
}

}  // namespace annolog::app
