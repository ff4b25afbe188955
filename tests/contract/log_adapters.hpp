// The logs that the contract is asked of. A new adapter adds one line to adapters() and nothing
// else.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/event_log.hpp"
#include "eventstore/record_import.hpp"

namespace annolog::eventstore {

// One log that is opened, closed and opened again over the same bytes.
class LogUnderTest {
 public:
  virtual ~LogUnderTest() = default;
  virtual std::unique_ptr<EventLog> open(std::uint16_t shard_count) = 0;
  // Changes the stored bytes of a record behind the log's back, while it is closed.
  virtual void damage(Position position, const std::function<void(std::string&)>& change) = 0;
  virtual std::unique_ptr<EventLog> open_without_checks(std::uint16_t shard_count) = 0;
  // Instead of open(): makes it a copy of the log with that info, or goes on with the copy.
  virtual std::unique_ptr<RecordImport> open_import(const LogInfo& info) = 0;
};

// `make` gives nothing when what the log needs is not here.
struct Adapter {
  std::string name;
  std::function<std::unique_ptr<LogUnderTest>()> make;
};
std::vector<Adapter> adapters();

inline constexpr std::uint16_t kShards = 4;
inline constexpr ShardId kShard{1};

class EventLogContract : public testing::TestWithParam<Adapter> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    if (under_test_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
    log_ = under_test_->open(kShards);
  }

  void reopen() {
    log_.reset();
    log_ = under_test_->open(kShards);
  }

  std::unique_ptr<LogUnderTest> under_test_;
  std::unique_ptr<EventLog> log_;
};

// A record whose headers are all set and told apart by `name`.
NewRecord record(const std::string& name);
// One command of one shard: its records, and the state "last" = its last record's name.
CommitOutcome append(EventLog& log, ShardId shard, const std::vector<std::string>& names);
std::vector<Record> read_all(const EventLog& log, ShardId shard);
std::vector<std::string> data_of(const std::vector<Record>& records);
// Every key and value, in order.
std::vector<std::pair<std::string, std::string>> all_state(const StateView& view);
std::unique_ptr<Transaction> begin(EventLog& log, std::vector<ShardId> shards);

}  // namespace annolog::eventstore
