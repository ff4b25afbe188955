#include "eventstore/rocksdb/rocksdb_import.hpp"

#include <fmt/format.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <set>

#include "eventstore/chain.hpp"
#include "eventstore/import_ends.hpp"
#include "eventstore/record_codec.hpp"
#include "eventstore/rocksdb/batch_writer.hpp"
#include "eventstore/rocksdb/open_check.hpp"
#include "eventstore/rocksdb/store.hpp"

namespace annolog::eventstore {
namespace {

namespace fs = std::filesystem;

// What RocksDB writes before CURRENT: a creation that was cut off leaves it behind.
bool is_rocksdb_beginning(const fs::directory_entry& entry) {
  constexpr std::array<std::string_view, 5> kBegin{"LOCK", "LOG", "IDENTITY", "MANIFEST-",
                                                   "OPTIONS-"};
  const std::string name = entry.path().filename().string();
  return !entry.is_directory() &&
         (name.ends_with(".dbtmp") || std::ranges::any_of(kBegin, [&](std::string_view begin) {
            return name.starts_with(begin);
          }));
}

// RocksDB would put a new database beside whatever is there.
void require_free(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (!is_rocksdb_beginning(entry))
      throw LogRefused(fmt::format("{} is not empty and holds no log: {} is in it", folder.string(),
                                   entry.path().filename().string()));
}

void require_usable(RocksdbLogOptions options, const LogInfo& info) {
  if (!fs::exists(options.folder)) return;
  if (!fs::exists(options.folder / "CURRENT")) return require_free(options.folder);
  options.read_only = true;  // opening it for writing would write
  adopt_info(open_store(options, nullptr), options, info);
}

class RocksdbImport final : public RecordImport {
 public:
  RocksdbImport(const RocksdbLogOptions& options, const LogInfo& info)
      : store_(open_store(options, nullptr)),
        writer_(store_, options),
        ends_(load_ends(options, info)) {}

  ShardEnd end(ShardId shard) const override { return ends_.of(shard); }

  void append(std::span<const Record> records) override {
    std::string stored;
    for (const Record& record : records) {
      ends_.move_to(record);
      stored.clear();
      encode_record(record.headers, record.data, record.last_of_command, stored);
      stored.append(as_bytes(record.chain));
      batch_.Put(store_.records.get(), record_key(record.position.shard, record.position.offset),
                 stored);
      touched_.insert(record.position.shard);
    }
  }

  void commit() override {
    for (const ShardId shard : touched_)
      batch_.Put(store_.meta.get(), end_key(shard), encode_end(ends_.of(shard)));
    if (writer_.write(batch_, true) != CommitOutcome::ok)
      throw LogUnavailable(fmt::format("the copy can't be written: {}", writer_.health().detail));
    batch_.Clear();
    touched_.clear();
  }

  void settle() override {}

 private:
  ImportEnds load_ends(const RocksdbLogOptions& options, const LogInfo& info) const {
    adopt_info(store_, options, info);
    std::vector<ShardEnd> ends;
    for (std::uint16_t i = 0; i < info.shard_count; ++i)
      ends.push_back(
          check_shard(store_, ShardId{i}, info.shard_count, options.open_check_records).end);
    return ImportEnds(std::move(ends));
  }

  Store store_;
  BatchWriter writer_;
  ImportEnds ends_;
  rocksdb::WriteBatch batch_;
  std::set<ShardId> touched_;
};

}  // namespace

std::unique_ptr<RecordImport> open_rocksdb_import(RocksdbLogOptions options, const LogInfo& info) {
  options.read_only = false;
  require_usable(options, info);
  return std::make_unique<RocksdbImport>(options, info);
}

}  // namespace annolog::eventstore
