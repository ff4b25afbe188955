// Records found by their offset among transactions of any size, aborted ones and marks.
#include "eventstore/kafka/record_reader.hpp"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/record_readers.hpp"
#include "tests/contract/open_transaction.hpp"

namespace annolog::eventstore::kafka::kafka_record_reader_test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kRecords = 20'000;
constexpr ShardId kShard{1};
constexpr std::size_t kAheadBytes = 1U << 20U;
constexpr std::uint32_t kSeed = 4711;

std::string data_at(std::uint64_t offset) {
  return std::to_string(offset) + std::string(offset * 31 % 97, 'x');
}

Record record_at(std::uint64_t offset, const std::string& data) {
  Record record;
  record.position = {kShard, Offset{offset}};
  record.headers.type = "t";
  record.data = data;
  return record;
}

// One shard of many records, made once for all tests: transactions of 1 to 600 records, of which
// every fifth is aborted and its offsets given again, as a writer does that tries again.
class KafkaRecordReader : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = KafkaScratch::make();
    if (scratch_ == nullptr) return;
    topic_ = scratch_->create_topic("events", 2);
    std::vector<std::unique_ptr<RawProducer>> writers;  // they take turns, as a log's do
    for (int i = 0; i < 4; ++i)
      writers.push_back(std::make_unique<RawProducer>(
          scratch_->connection, scratch_->prefix + ".w-" + std::to_string(i)));
    std::mt19937 random(kSeed);
    std::uint64_t next = 1;
    for (std::size_t turn = 0; next <= kRecords; ++turn) {
      RawProducer& writer = *writers[turn % writers.size()];
      const std::uint64_t size = random() % 3 == 0 ? 1 : 1 + random() % 600;
      const std::uint64_t end = std::min(kRecords + 1, next + size);
      const bool aborted = turn % 5 == 4;
      writer.begin();
      for (std::uint64_t at = next; at < end; ++at)
        writer.send(to_message(record_at(at, aborted ? "aborted" : data_at(at)), topic_, {}));
      if (aborted) {
        writer.flush();
        writer.abort();
      } else {
        ASSERT_TRUE(writer.commit());
        next = end;
      }
    }
  }
  static void TearDownTestSuite() { scratch_.reset(); }
  void SetUp() override {
    if (scratch_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
  }

  static void expect_run(const std::vector<Record>& records, std::uint64_t after,
                         std::uint64_t count) {
    ASSERT_EQ(records.size(), count) << "after " << after;
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(records[i].position, (Position{kShard, Offset{after + 1 + i}}));
      ASSERT_EQ(records[i].data, data_at(after + 1 + i));
    }
  }
  static std::vector<Record> read(RecordReader& reader, std::uint64_t after, std::size_t count,
                                  std::uint64_t last = kRecords) {
    return reader.read(kShard, Offset{after}, Offset{last}, {.max_records = count},
                       kafka::after(kLongWait));
  }

  static inline std::unique_ptr<KafkaScratch> scratch_;
  static inline std::string topic_;
};

TEST_F(KafkaRecordReader, finds_any_offset) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  std::mt19937 random(kSeed + 1);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t after = random() % kRecords;
    const std::uint64_t count = std::min<std::uint64_t>(1 + random() % 20, kRecords - after);
    SCOPED_TRACE(std::to_string(i) + ": after " + std::to_string(after));
    ASSERT_NO_FATAL_FAILURE(expect_run(read(reader, after, count), after, count));
  }
}

TEST_F(KafkaRecordReader, finds_the_edges) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  for (const std::uint64_t after :
       {std::uint64_t{0}, kRecords - 1, std::uint64_t{1}, kRecords - 2, std::uint64_t{999},
        std::uint64_t{1000}, std::uint64_t{1001}, kRecords - 1000})
    expect_run(read(reader, after, 1), after, 1);
  EXPECT_TRUE(read(reader, kRecords, 10).empty());
  EXPECT_TRUE(read(reader, kRecords + 5, 10).empty());
  EXPECT_TRUE(read(reader, 10, 0).empty());
}

TEST_F(KafkaRecordReader, reads_on_where_it_ended) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  std::mt19937 random(kSeed + 2);
  for (std::uint64_t after = 0; after < kRecords;) {
    const auto records = read(reader, after, 1 + random() % 2'000);
    ASSERT_FALSE(records.empty());
    ASSERT_NO_FATAL_FAILURE(expect_run(records, after, records.size()));
    after += records.size();
    EXPECT_EQ(reader.stands_at(kShard, Offset{after}), after < kRecords) << after;
  }
}

TEST_F(KafkaRecordReader, keeps_the_limit_of_bytes_and_gives_the_rest_next) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  std::uint64_t after = 5'000;
  for (int i = 0; i < 50; ++i) {
    const auto records = reader.read(kShard, Offset{after}, Offset{kRecords}, {.max_bytes = 300},
                                     kafka::after(kLongWait));
    std::size_t bytes = 0;
    for (const Record& record : records) bytes += record.data.size();
    EXPECT_LE(bytes, 300U);
    EXPECT_GT(bytes + data_at(after + 1 + records.size()).size(), 300U) << "one more had room";
    ASSERT_NO_FATAL_FAILURE(expect_run(records, after, records.size()));
    after += records.size();
  }
  const auto one = reader.read(kShard, Offset{after}, Offset{kRecords}, {.max_bytes = 0},
                               kafka::after(kLongWait));
  expect_run(one, after, 1);
}

TEST_F(KafkaRecordReader, stops_at_the_last_that_it_may_give) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  expect_run(read(reader, 7'000, 1'000, 7'010), 7'000, 10);
  expect_run(read(reader, 7'010, 5), 7'010, 5);
}

TEST_F(KafkaRecordReader, jumps_forth_and_back) {
  RecordReader reader(scratch_->connection, topic_, kAheadBytes);
  for (const std::uint64_t after : {19'000U, 3U, 19'001U, 10'000U, 9'999U, 10'001U, 0U})
    expect_run(read(reader, after, 3), after, 3);
  reader.forget(kShard);
  EXPECT_FALSE(reader.stands_at(kShard, Offset{3}));
  expect_run(read(reader, 3, 3), 3, 3);
}

// Each attribute said, unsaid, and said by another.
TEST(KafkaRecords, read_back_are_what_was_written) {
  const auto scratch = KafkaScratch::make();
  if (scratch == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
  const std::string topic = scratch->create_topic("events", 2);
  std::vector<Record> written;
  for (const char* id : {"1-1", "0198a6b0-0000-7000-8000-000000000000", "1-2", "1-4", "1-7"}) {
    const std::uint64_t at = written.size() + 1;
    Record record = record_at(at, data_at(at));
    record.headers.id = id;
    record.headers.schema_version = static_cast<int>(at);
    record.headers.actor = at % 2 == 0 ? "" : "7";
    record.headers.idempotency = at % 3 == 0 ? "" : R"({"key":"k"})";
    record.last_of_command = at % 2 == 0;
    written.push_back(std::move(record));
  }
  RawProducer writer(scratch->connection, scratch->prefix + ".w");
  writer.begin();
  for (const Record& record : written)
    writer.send(to_message(record, topic, {"/test", record.last_of_command ? "w" : ""}));
  ASSERT_TRUE(writer.commit());
  RecordReader reader(scratch->connection, topic, kAheadBytes);
  EXPECT_EQ(reader.read(kShard, Offset{}, Offset{written.size()}, {}, kafka::after(kLongWait)),
            written);
}

TEST_F(KafkaRecordReader, many_read_at_the_same_time) {
  RecordReaders readers(scratch_->connection, topic_, kAheadBytes);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      std::mt19937 random(kSeed + 10 + i);
      std::uint64_t after = random() % (kRecords - 2'000);
      for (int round = 0; round < 30; ++round) {
        const auto records = readers.read(kShard, Offset{after}, Offset{kRecords},
                                          {.max_records = 40}, kafka::after(kLongWait));
        ASSERT_NO_FATAL_FAILURE(expect_run(records, after, 40));
        after = round % 3 == 0 ? random() % (kRecords - 2'000) : after + 40;
      }
    });
  for (auto& thread : threads) thread.join();
}

class KafkaRecordReaderDamage : public KafkaScratchTest {
 protected:
  // Records of these offsets, in one transaction; 0: a message that is none.
  std::string topic_of(const std::vector<std::uint64_t>& offsets) {
    const std::string topic = scratch_->create_topic("events", 2);
    RawProducer writer(scratch_->connection, scratch_->prefix + ".w");
    writer.begin();
    for (const std::uint64_t at : offsets) {
      if (at == 0) {
        writer.send({topic, kShard.value, "key", "no record"});
      } else {
        writer.send(to_message(record_at(at, data_at(at)), topic, {}));
      }
    }
    EXPECT_TRUE(writer.commit());
    return topic;
  }
  void expect_damage(RecordReader& reader, std::uint64_t after, std::uint64_t last,
                     const char* what) {
    try {
      reader.read(kShard, Offset{after}, Offset{last}, {}, kafka::after(kLongWait));
      ADD_FAILURE() << "read";
    } catch (const LogCorrupted& error) {
      EXPECT_THAT(error.what(), HasSubstr("shard 1"));
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
};

TEST_F(KafkaRecordReaderDamage, a_missing_record_is_named_after_what_came_before_it) {
  const std::string topic = topic_of({1, 2, 4, 5});
  RecordReader reader(scratch_->connection, topic, kAheadBytes);
  const auto good = reader.read(kShard, Offset{0}, Offset{5}, {}, kafka::after(kLongWait));
  ASSERT_EQ(good.size(), 2U);
  expect_damage(reader, 2, 5, "offset 3");
  expect_damage(reader, 2, 5, "the next is 4");
}

TEST_F(KafkaRecordReaderDamage, a_message_that_is_no_record_is_named) {
  const std::string topic = topic_of({1, 0, 2});
  RecordReader reader(scratch_->connection, topic, kAheadBytes);
  EXPECT_EQ(reader.read(kShard, Offset{0}, Offset{2}, {}, kafka::after(kLongWait)).size(), 1U);
  expect_damage(reader, 1, 2, "offset 2");
}

TEST_F(KafkaRecordReaderDamage, a_message_whose_place_is_not_said_is_no_record) {
  int topics = 0;
  for (const char* id : {"0-1", "1-01", "1-", "-1", "1", ""}) {
    SCOPED_TRACE(id);
    const std::string topic = scratch_->create_topic("events-" + std::to_string(++topics), 2);
    Message message = to_message(record_at(1, "first"), topic, {"/test", "w"});
    std::erase_if(message.headers,
                  [](const auto& header) { return header.first == "ce_sequence"; });
    for (auto& [name, value] : message.headers)
      if (name == "ce_id") value = id;
    RawProducer writer(scratch_->connection, scratch_->prefix + ".w");
    writer.begin();
    writer.send(message);
    EXPECT_TRUE(writer.commit());
    RecordReader reader(scratch_->connection, topic, kAheadBytes);
    expect_damage(reader, 0, 1, "the bytes are not a record");
  }
}

TEST_F(KafkaRecordReaderDamage, what_must_be_there_and_is_not_ends_at_the_deadline) {
  const std::string topic = topic_of({1, 2});
  RecordReader reader(scratch_->connection, topic, kAheadBytes);
  EXPECT_THROW(
      reader.read(kShard, Offset{2}, Offset{3}, {}, kafka::after(std::chrono::milliseconds(300))),
      LogUnavailable);
  EXPECT_EQ(reader.read(kShard, Offset{0}, Offset{2}, {}, kafka::after(kLongWait)).size(), 2U)
      << "and the reader is good for others";
}

}  // namespace
}  // namespace annolog::eventstore::kafka::kafka_record_reader_test
