#include "eventstore/memory/memory_import.hpp"

#include "eventstore/chain.hpp"
#include "eventstore/import_ends.hpp"
#include "eventstore/log_info.hpp"
#include "eventstore/memory/memory_store.hpp"
#include "eventstore/record_codec.hpp"

namespace annolog::eventstore {
namespace {

class MemoryImport final : public RecordImport {
 public:
  explicit MemoryImport(std::shared_ptr<MemoryStore> store)
      : store_(std::move(store)), ends_(ends_of(*store_)) {}

  ShardEnd end(ShardId shard) const override { return ends_.of(shard); }

  void append(std::span<const Record> records) override {
    for (const Record& record : records) {
      ends_.move_to(record);
      taken_.push_back(record);
    }
  }

  void commit() override {
    const std::lock_guard lock(store_->mutex);
    for (const Record& record : taken_) {
      MemoryStore::Shard& shard = store_->shards[record.position.shard.value];
      std::string& stored = shard.records.emplace_back();
      encode_record(record.headers, record.data, record.last_of_command, stored);
      stored.append(as_bytes(record.chain));
      shard.chain = record.chain;
    }
    taken_.clear();
  }

  void settle() override {}

 private:
  static ImportEnds ends_of(const MemoryStore& store) {
    const std::lock_guard lock(store.mutex);
    std::vector<ShardEnd> ends;
    for (const MemoryStore::Shard& shard : store.shards) ends.push_back({shard.end(), shard.chain});
    return ImportEnds(std::move(ends));
  }

  std::shared_ptr<MemoryStore> store_;
  ImportEnds ends_;
  std::vector<Record> taken_;
};

}  // namespace

std::shared_ptr<MemoryStore> make_memory_store(const LogInfo& info) {
  auto store = std::make_shared<MemoryStore>(info.shard_count);
  store->log_id = info.log_id;
  return store;
}

std::unique_ptr<RecordImport> open_memory_import(std::shared_ptr<MemoryStore> store,
                                                 const LogInfo& info) {
  const auto shards = static_cast<std::uint16_t>(store->shards.size());
  require_same_log({store->log_id, kLogFormat, shards}, info, "the store");
  return std::make_unique<MemoryImport>(std::move(store));
}

}  // namespace annolog::eventstore
