#include "eventstore/rocksdb/state_reader.hpp"

#include <fmt/format.h>

#include "eventstore/key_range.hpp"
#include "eventstore/rocksdb/keys.hpp"

namespace annolog::eventstore {
namespace {

constexpr std::size_t kShardPrefixSize = 2;

std::string of_shard(ShardId shard) { return fmt::format("state of shard {}", shard.value); }

std::string_view own_key(const rocksdb::Iterator& at) {
  return at.key().ToStringView().substr(kShardPrefixSize);
}

}  // namespace

StateReader::StateReader(const Store& store, const rocksdb::Snapshot* snapshot) : store_(store) {
  read_.snapshot = snapshot;
}

std::optional<std::string> StateReader::get(ShardId shard, std::string_view key) const {
  std::string value;
  const rocksdb::Status status =
      store_.db->Get(read_, store_.state.get(), state_key(shard, key), &value);
  if (status.ok()) return value;
  if (!status.IsNotFound()) throw_read_error(status, of_shard(shard));
  return std::nullopt;
}

void StateReader::scan(ShardId shard, std::string_view prefix, std::string_view from_key,
                       const ScanCallback& callback) const {
  const std::string bound = *after_prefix(state_key(shard, prefix));
  const rocksdb::Slice upper(bound);
  rocksdb::ReadOptions read = read_;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(store_.db->NewIterator(read, store_.state.get()));
  for (at->Seek(state_key(shard, scan_start(prefix, from_key))); at->Valid(); at->Next())
    if (!callback(own_key(*at), at->value().ToStringView())) return;
  if (!at->status().ok()) throw_read_error(at->status(), of_shard(shard));
}

void StateReader::scan_reverse(ShardId shard, std::string_view prefix, std::string_view from_key,
                               const ScanCallback& callback) const {
  const std::string first = state_key(shard, prefix);
  std::string bound = *after_prefix(first);
  if (!from_key.empty()) {
    std::string after_from = state_key(shard, from_key);
    after_from.push_back('\0');  // the least key above from_key
    bound = std::min(bound, after_from);
  }
  const rocksdb::Slice lower(first);
  const rocksdb::Slice upper(bound);
  rocksdb::ReadOptions read = read_;
  read.iterate_lower_bound = &lower;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(store_.db->NewIterator(read, store_.state.get()));
  for (at->SeekToLast(); at->Valid(); at->Prev())
    if (!callback(own_key(*at), at->value().ToStringView())) return;
  if (!at->status().ok()) throw_read_error(at->status(), of_shard(shard));
}

RocksdbSnapshot::RocksdbSnapshot(const Store& store, ShardId shard)
    : snapshot_(store.db.get()),
      shard_(shard),
      reader_(store, snapshot_.snapshot()),
      position_(read_state_position(store, shard, snapshot_.snapshot())) {}

std::optional<std::string> RocksdbSnapshot::get(std::string_view key) const {
  return reader_.get(shard_, key);
}

void RocksdbSnapshot::scan(std::string_view prefix, std::string_view from_key,
                           const ScanCallback& callback) const {
  reader_.scan(shard_, prefix, from_key, callback);
}

void RocksdbSnapshot::scan_reverse(std::string_view prefix, std::string_view from_key,
                                   const ScanCallback& callback) const {
  reader_.scan_reverse(shard_, prefix, from_key, callback);
}

Offset read_state_position(const Store& store, ShardId shard, const rocksdb::Snapshot* snapshot) {
  rocksdb::ReadOptions read;
  read.snapshot = snapshot;
  std::string value;
  const rocksdb::Status status =
      store.db->Get(read, store.meta.get(), state_position_key(shard), &value);
  if (status.IsNotFound()) return Offset{};
  if (!status.ok()) throw_read_error(status, of_shard(shard));
  const auto position = decode_offset(value);
  if (!position) throw LogCorrupted(of_shard(shard) + ": its position is not a number");
  return *position;
}

}  // namespace annolog::eventstore
