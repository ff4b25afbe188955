#include "app/storage.hpp"

#include "eventstore/files/file_subject_keys.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"

namespace annolog::app {

namespace fs = std::filesystem;

DataFolders::DataFolders(const platform::Settings& settings)
    : root(settings.data_dir),
      log(root / "log"),
      keys(root / "keys"),
      subject_keys(root / "keys" / "subjects"),
      objects(root / "objects"),
      run(root / "run") {}

void DataFolders::create() const {
  for (const auto& folder : {root, log, keys, subject_keys, objects, run}) {
    fs::create_directories(folder);
  }
  for (const auto& folder : {log, keys, subject_keys}) {
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::replace);
  }
  // PostgreSQL's socket may lie in it, and its server may be another user: passable, not readable.
  constexpr auto kPassable = fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(run, kPassable, fs::perm_options::replace);
}

std::unique_ptr<eventstore::EventLog> open_log(const platform::Settings& settings,
                                               platform::Logger& logger, bool read_only) {
  eventstore::RocksdbLogOptions options;
  options.folder = DataFolders(settings).log;
  options.shard_count = read_only ? 0 : static_cast<std::uint16_t>(settings.shards);
  options.read_only = read_only;
  options.warn = [&logger](std::string_view line) {
    logger.warn("the log's store", {{"detail", line}});
  };
  return eventstore::open_rocksdb_log(options);
}

std::unique_ptr<eventstore::SubjectKeys> open_subject_keys(const platform::Settings& settings) {
  return eventstore::open_file_subject_keys(DataFolders(settings).subject_keys);
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
