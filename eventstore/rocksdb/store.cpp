#include "eventstore/rocksdb/store.hpp"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "eventstore/rocksdb/folder_check.hpp"
#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/rocksdb/read_only_disk.hpp"

namespace annolog::eventstore {
namespace {

rocksdb::CompressionType compression() {
  const auto supported = rocksdb::GetSupportedCompressions();
  const bool lz4 =
      std::find(supported.begin(), supported.end(), rocksdb::kLZ4Compression) != supported.end();
  return lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
}

rocksdb::DBOptions db_options(const RocksdbLogOptions& options, const Store& store) {
  rocksdb::DBOptions db;
  db.env = store.env.get();
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.info_log = store.warnings;
  db.listeners = {store.sync_watch};
  // A batch that was never acknowledged may end torn; a damaged one in the middle may not pass.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  db.track_and_verify_wals_in_manifest = true;
  db.recycle_log_file_num = 0;
  db.paranoid_checks = true;
  // Each family is flushed for itself. What is flushed is behind the write-ahead log, so all agree
  // once it is read again; and flushes of several at once, when one fails, leave the others waiting
  // for ever, be it to resume or to close (facebook/rocksdb #11867, #11872, mended in 8.x).
  db.atomic_flush = false;
  db.max_total_wal_size = 4 * options.write_buffer_bytes;
  db.db_write_buffer_size = options.write_buffer_bytes;
  db.max_background_jobs = 2;
  db.allow_concurrent_memtable_write = false;  // hints (family_options) want one inserter at a time
  db.max_bgerror_resume_count = 0;             // resuming is the log's decision: try_resume()
  // Spreads the writing of tables, so that a commit's sync doesn't queue behind a whole one.
  db.bytes_per_sync = 1U << 20U;
  db.strict_bytes_per_sync = true;
  db.max_open_files = 1000;
  db.keep_log_file_num = 1;
  return db;
}

enum class Reads { ranges, points };
constexpr std::size_t kShardBytes = 2;  // every key of records and state begins with its shard

// `kind_bytes`: how much of a key keys of one kind have in common.
rocksdb::ColumnFamilyOptions family_options(const RocksdbLogOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache,
                                            Reads reads, std::size_t kind_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 16U << 10U;
  table.format_version = 5;
  if (reads == Reads::points) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::ColumnFamilyOptions family;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  family.compression = compression();
  family.level_compaction_dynamic_level_bytes = true;
  // Young tables are merged seldom: what is never read again soon costs only this.
  family.level0_file_num_compaction_trigger = 8;
  family.max_bytes_for_level_base = 1U << 30U;
  // A small table lies within one shard, and moves down past all but that shard's newest table.
  family.target_file_size_base = 16U << 20U;
  family.write_buffer_size = options.write_buffer_bytes / 2;
  // A command's keys of one kind follow one another: each is found from the place of the last.
  family.memtable_insert_with_hint_prefix_extractor.reset(
      rocksdb::NewFixedPrefixTransform(kind_bytes));
  return family;
}

[[noreturn]] void throw_open_error(const rocksdb::Status& status, const RocksdbLogOptions& options,
                                   const WarningLines& warnings) {
  std::string text = status.ToString();
  const std::string folder = options.folder.string();
  // RocksDB looks for a missing table under its name of ten years ago last, and names that one.
  for (std::size_t at = 0; (at = text.find(".ldb", at)) != std::string::npos;)
    text.replace(at, 4, ".sst");
  if (text.find("lock ") != std::string::npos && status.IsIOError())
    throw LogRefused(fmt::format("the log in {} is in use by another process ({})", folder, text));
  // An IO error about a path that does not exist speaks of a file that the manifest lists.
  if (status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound() ||
      text.find("No such file") != std::string::npos) {
    const std::string damage = warnings.first_damage();
    throw LogCorrupted(
        fmt::format("{} in {}{}{}", text, folder, damage.empty() ? "" : "; ", damage));
  }
  if (status.IsInvalidArgument())
    throw LogRefused(fmt::format("{} does not hold a log of this program: {}", folder, text));
  throw LogUnavailable(fmt::format("the log in {} can't be opened: {}", folder, text));
}

}  // namespace

void DropFamily::operator()(rocksdb::ColumnFamilyHandle* family) const {
  db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
}

Store open_store(const RocksdbLogOptions& options, std::shared_ptr<rocksdb::Env> env) {
  Store store;
  if (env == nullptr) env = env_with_read_only_as_full();
  store.env = std::move(env);
  store.sync_watch = std::make_shared<SyncWatch>();
  store.warnings = std::make_shared<WarningLines>(options.warn);
  require_whole_folder(options.folder, options.read_only);

  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  const auto plain = family_options(options, cache, Reads::ranges, kShardBytes);
  const std::vector<rocksdb::ColumnFamilyDescriptor> families{
      {rocksdb::kDefaultColumnFamilyName, plain},
      {std::string(kRecordsFamily), plain},
      {std::string(kStateFamily), family_options(options, cache, Reads::points, kShardBytes + 1)},
      {std::string(kMetaFamily), plain}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::DBOptions database = db_options(options, store);
  const std::string folder = options.folder.string();
  const rocksdb::Status status =
      options.read_only ? rocksdb::DB::OpenForReadOnly(database, folder, families, &handles, &db)
                        : rocksdb::DB::Open(database, folder, families, &handles, &db);
  if (!status.ok()) throw_open_error(status, options, *store.warnings);
  store.db.reset(db);
  store.default_family = {handles.at(0), DropFamily{db}};
  store.records = {handles.at(1), DropFamily{db}};
  store.state = {handles.at(2), DropFamily{db}};
  store.meta = {handles.at(3), DropFamily{db}};
  return store;
}

void throw_read_error(const rocksdb::Status& status, const std::string& what) {
  if (status.IsCorruption()) throw LogCorrupted(fmt::format("{}: {}", what, status.ToString()));
  throw LogUnavailable(fmt::format("{}: {}", what, status.ToString()));
}

}  // namespace annolog::eventstore
