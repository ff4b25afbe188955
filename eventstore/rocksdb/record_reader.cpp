#include "eventstore/rocksdb/record_reader.hpp"

#include <fmt/format.h>

#include <limits>

#include "eventstore/chain.hpp"
#include "eventstore/record_check.hpp"

namespace annolog::eventstore {

void walk_records(const Store& store, ShardId shard, Offset after, Offset last, bool fill_cache,
                  const StoredCallback& callback) {
  if (after >= last) return;
  const std::string bound = record_key(shard, last.next());
  const rocksdb::Slice upper(bound);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  read.fill_cache = fill_cache;
  const std::unique_ptr<rocksdb::Iterator> at(store.db->NewIterator(read, store.records.get()));
  at->Seek(record_key(shard, after.next()));
  for (Offset expected = after.next(); expected <= last; expected = expected.next(), at->Next()) {
    if (!at->Valid()) {
      const rocksdb::Status status = at->status();
      throw LogCorrupted(shard, expected,
                         status.ok() ? "the record is missing" : status.ToString());
    }
    const auto offset = offset_of_record_key(shard, at->key().ToStringView());
    if (offset != expected)
      throw LogCorrupted(shard, expected,
                         offset
                             ? fmt::format("the record is missing, the next is {}", offset->value)
                             : "the record's key is damaged");
    if (!callback(expected, at->value().ToStringView())) return;
  }
}

Offset find_last_record(const Store& store, ShardId shard) {
  const std::string first = record_key(shard, Offset{});
  const rocksdb::Slice lower(first);
  rocksdb::ReadOptions read;
  read.iterate_lower_bound = &lower;
  const std::unique_ptr<rocksdb::Iterator> at(store.db->NewIterator(read, store.records.get()));
  at->SeekForPrev(record_key(shard, Offset{std::numeric_limits<std::uint64_t>::max()}));
  if (!at->Valid()) {
    if (!at->status().ok())
      throw LogCorrupted(fmt::format("end of shard {}: {}", shard.value, at->status().ToString()));
    return Offset{};
  }
  const auto offset = offset_of_record_key(shard, at->key().ToStringView());
  if (!offset) throw LogCorrupted(fmt::format("end of shard {}: damaged key", shard.value));
  return *offset;
}

Hash stored_chain(const Store& store, ShardId shard, std::uint16_t shard_count, Offset at) {
  if (at == Offset{}) return ChainHasher().genesis(shard, shard_count);
  std::string stored;
  const rocksdb::Status status =
      store.db->Get(rocksdb::ReadOptions(), store.records.get(), record_key(shard, at), &stored);
  if (!status.ok()) throw LogCorrupted(shard, at, status.ToString());
  return load_record({shard, at}, stored).chain;
}

Hash check_records(const Store& store, ShardId shard, std::uint16_t shard_count, Offset from,
                   Offset last, const VerifyProgress& progress) {
  constexpr std::uint64_t kProgressEvery = 10'000;
  ChainCheck check(shard, from, stored_chain(store, shard, shard_count, from));
  walk_records(store, shard, from, last, false, [&](Offset offset, std::string_view stored) {
    check.next(offset, stored);
    if (progress && offset.value % kProgressEvery == 0) progress(offset, last);
    return true;
  });
  if (progress) progress(last, last);
  return check.chain();
}

}  // namespace annolog::eventstore
