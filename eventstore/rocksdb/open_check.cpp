#include "eventstore/rocksdb/open_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "eventstore/import_ends.hpp"
#include "eventstore/log_id.hpp"
#include "eventstore/log_info.hpp"
#include "eventstore/rocksdb/record_reader.hpp"
#include "eventstore/rocksdb/state_reader.hpp"

namespace annolog::eventstore {
namespace {

bool has_records(const Store& store) {
  const std::unique_ptr<rocksdb::Iterator> at(
      store.db->NewIterator(rocksdb::ReadOptions(), store.records.get()));
  at->SeekToFirst();
  return at->Valid() || !at->status().ok();
}

std::optional<LogInfo> stored_info(const Store& store) {
  std::string value;
  const rocksdb::Status status =
      store.db->Get(rocksdb::ReadOptions(), store.meta.get(), std::string(kInfoKey), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw_read_error(status, "info");
  return decode_info(value);
}

void create_info(const Store& store, const RocksdbLogOptions& options, const LogInfo& info) {
  if (options.read_only) throw LogRefused("the log is empty: it was never opened for writing");
  if (has_records(store)) throw LogCorrupted("its info is missing, yet there are records");
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const rocksdb::Status status =
      store.db->Put(synced, store.meta.get(), std::string(kInfoKey), encode_info(info));
  if (!status.ok())
    throw LogUnavailable(fmt::format("the log can't be created: {}", status.ToString()));
}

ShardEnd load_end(const Store& store, ShardId shard, std::uint16_t shard_count) {
  std::string value;
  const rocksdb::Status status =
      store.db->Get(rocksdb::ReadOptions(), store.meta.get(), end_key(shard), &value);
  if (status.IsNotFound()) return {Offset{}, stored_chain(store, shard, shard_count, Offset{})};
  if (!status.ok()) throw_read_error(status, fmt::format("end of shard {}", shard.value));
  const auto end = decode_end(value);
  if (!end) throw LogCorrupted(fmt::format("end of shard {}: not an end mark", shard.value));
  return *end;
}

}  // namespace

LogInfo load_info(const Store& store, const RocksdbLogOptions& options) {
  const auto info = stored_info(store);
  if (!info) {
    const LogInfo fresh{random_log_id(), kLogFormat, options.shard_count};
    create_info(store, options, fresh);
    return fresh;
  }
  if (options.shard_count != info->shard_count && options.shard_count != 0)
    throw LogRefused(
        fmt::format("the log in {} was created with {} shards, {} were asked for: the number is "
                    "fixed for the life of a log",
                    options.folder.string(), info->shard_count, options.shard_count));
  return *info;
}

void adopt_info(const Store& store, const RocksdbLogOptions& options, const LogInfo& info) {
  const auto there = stored_info(store);
  if (there) return require_same_log(*there, info, options.folder.string());
  if (!options.read_only) create_info(store, options, info);
}

OpenedShard check_shard(const Store& store, ShardId shard, std::uint16_t shard_count,
                        std::uint64_t tail_records) {
  OpenedShard opened;
  opened.end = load_end(store, shard, shard_count);
  const Offset marked = opened.end.offset;
  const Offset last = find_last_record(store, shard);
  if (last != marked)
    throw LogCorrupted(
        shard, std::min(last, marked).next(),
        fmt::format("the last record is {}, the end mark says {}", last.value, marked.value));
  const Offset from{marked.value > tail_records ? marked.value - tail_records : 0};
  if (check_records(store, shard, shard_count, from, marked, {}) != opened.end.chain)
    throw LogCorrupted(shard, marked, "the hash chain is not that of the end mark");
  opened.state_position = read_state_position(store, shard, nullptr);
  if (opened.state_position > marked)
    throw LogCorrupted(shard, marked.next(),
                       fmt::format("the state has seen record {}, which is not there",
                                   opened.state_position.value));
  return opened;
}

}  // namespace annolog::eventstore
