#include "eventstore/rocksdb/open_check.hpp"

#include <fmt/format.h>

#include <algorithm>

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

LogInfo create_info(const Store& store, const RocksdbLogOptions& options) {
  if (options.read_only) throw LogRefused("the log is empty: it was never opened for writing");
  if (has_records(store)) throw LogCorrupted("its info is missing, yet there are records");
  const LogInfo info{random_log_id(), kLogFormat, options.shard_count};
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const rocksdb::Status status =
      store.db->Put(synced, store.meta.get(), std::string(kInfoKey), encode_info(info));
  if (!status.ok())
    throw LogUnavailable(fmt::format("the log can't be created: {}", status.ToString()));
  return info;
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
  std::string value;
  const rocksdb::Status status =
      store.db->Get(rocksdb::ReadOptions(), store.meta.get(), std::string(kInfoKey), &value);
  if (status.IsNotFound()) return create_info(store, options);
  if (!status.ok()) throw_read_error(status, "info");
  LogInfo info = decode_info(value);
  if (options.shard_count != info.shard_count && options.shard_count != 0)
    throw LogRefused(
        fmt::format("the log in {} was created with {} shards, {} were asked for: the number is "
                    "fixed for the life of a log",
                    options.folder.string(), info.shard_count, options.shard_count));
  return info;
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
