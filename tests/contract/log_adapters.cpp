#include "tests/contract/log_adapters.hpp"

#include <rocksdb/db.h>

#include "eventstore/memory/memory_import.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/rocksdb/rocksdb_import.hpp"
#include "eventstore/rocksdb/store.hpp"
#include "tests/contract/kafka_under_test.hpp"
#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore {
namespace {

class MemoryUnderTest final : public LogUnderTest {
 public:
  std::unique_ptr<EventLog> open(std::uint16_t shard_count) override {
    if (store_ == nullptr) store_ = make_memory_store(shard_count);
    return open_memory_log(store_, shard_count);
  }
  std::unique_ptr<EventLog> open_without_checks(std::uint16_t shard_count) override {
    return open(shard_count);
  }
  void damage(Position position, const std::function<void(std::string&)>& change) override {
    change(stored_record(*store_, position.shard, position.offset));
  }
  std::unique_ptr<RecordImport> open_import(const LogInfo& info) override {
    if (store_ == nullptr) store_ = make_memory_store(info);
    return open_memory_import(store_, info);
  }

 private:
  std::shared_ptr<MemoryStore> store_;
};

class RocksdbUnderTest final : public LogUnderTest {
 public:
  std::unique_ptr<EventLog> open(std::uint16_t shard_count) override {
    return open_rocksdb_log({.folder = folder_.path(), .shard_count = shard_count});
  }
  std::unique_ptr<EventLog> open_without_checks(std::uint16_t shard_count) override {
    return open_rocksdb_log(
        {.folder = folder_.path(), .shard_count = shard_count, .open_check_records = 0});
  }
  void damage(Position position, const std::function<void(std::string&)>& change) override {
    const Store store = open_store({.folder = folder_.path(), .shard_count = kShards}, nullptr);
    const std::string key = record_key(position.shard, position.offset);
    std::string stored;
    ASSERT_TRUE(store.db->Get({}, store.records.get(), key, &stored).ok());
    change(stored);
    ASSERT_TRUE(store.db->Put({}, store.records.get(), key, stored).ok());
  }
  std::unique_ptr<RecordImport> open_import(const LogInfo& info) override {
    return open_rocksdb_import({.folder = folder_.path()}, info);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

std::vector<Adapter> adapters() {
  return {{"memory", [] { return std::make_unique<MemoryUnderTest>(); }},
          {"rocksdb", [] { return std::make_unique<RocksdbUnderTest>(); }},
          {"kafka", make_kafka_under_test}};
}

INSTANTIATE_TEST_SUITE_P(, EventLogContract, ::testing::ValuesIn(adapters()),
                         [](const auto& adapter) { return adapter.param.name; });

NewRecord record(const std::string& name) {
  return {{.id = "id-" + name,
           .type = "task." + name,
           .schema_version = 2,
           .subject = "task/7",
           .time_ms = 1'700'000'000'123,
           .actor = "user/3",
           .request_id = "request-" + name,
           .causation_id = "cause-" + name,
           .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           .idempotency = "key-" + name},
          name};
}

std::unique_ptr<Transaction> begin(EventLog& log, std::vector<ShardId> shards) {
  return log.begin(shards);
}

CommitOutcome append(EventLog& log, ShardId shard, const std::vector<std::string>& names) {
  const auto transaction = begin(log, {shard});
  for (const std::string& name : names) transaction->append(shard, record(name));
  transaction->end_command(shard);
  transaction->put("last", names.back());
  return log.commit(*transaction);
}

std::vector<Record> read_all(const EventLog& log, ShardId shard) {
  return log.read(shard, Offset{}, {});
}

std::vector<std::string> data_of(const std::vector<Record>& records) {
  std::vector<std::string> data;
  for (const Record& each : records) data.push_back(each.data);
  return data;
}

std::vector<std::pair<std::string, std::string>> all_state(const StateView& view) {
  std::vector<std::pair<std::string, std::string>> entries;
  view.scan("", "", [&](std::string_view key, std::string_view value) {
    entries.emplace_back(key, value);
    return true;
  });
  return entries;
}

}  // namespace annolog::eventstore
