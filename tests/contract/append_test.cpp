// What is appended is read back: in order, whole, after a restart too.
#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::append_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(EventLogContract, a_new_log_is_empty_and_says_what_it_is) {
  EXPECT_EQ(log_->shard_count(), kShards);
  EXPECT_EQ(log_->log_info().shard_count, kShards);
  EXPECT_EQ(log_->log_info().log_id.size(), 36U);
  EXPECT_EQ(log_->end(kShard), Offset{});
  EXPECT_EQ(log_->state_position(kShard), Offset{});
  EXPECT_THAT(read_all(*log_, kShard), IsEmpty());
  EXPECT_TRUE(log_->health().writable);
}

TEST_P(EventLogContract, records_come_back_whole_and_in_order) {
  ASSERT_EQ(append(*log_, kShard, {"a", "b"}), CommitOutcome::ok);
  ASSERT_EQ(append(*log_, kShard, {"c"}), CommitOutcome::ok);
  const auto records = read_all(*log_, kShard);
  ASSERT_EQ(records.size(), 3U);
  const std::vector<std::string> names{"a", "b", "c"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(records[i].position, (Position{kShard, Offset{i + 1}}));
    EXPECT_EQ(records[i].headers, record(names[i]).headers);
    EXPECT_EQ(records[i].data, names[i]);
  }
  EXPECT_FALSE(records[0].last_of_command);
  EXPECT_TRUE(records[1].last_of_command);
  EXPECT_TRUE(records[2].last_of_command);
}

TEST_P(EventLogContract, any_bytes_are_kept) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  NewRecord odd = record(bytes + bytes);
  odd.headers.time_ms = -1;
  odd.headers.schema_version = 300;
  auto transaction = begin(*log_, {kShard});
  transaction->append(kShard, odd);
  transaction->append(kShard, NewRecord{});
  transaction->end_command(kShard);
  transaction->put(bytes, bytes);
  ASSERT_EQ(log_->commit(*transaction), CommitOutcome::ok);
  transaction.reset();
  reopen();
  EXPECT_EQ(read_all(*log_, kShard).at(0).headers, odd.headers);
  EXPECT_EQ(read_all(*log_, kShard).at(0).data, odd.data);
  EXPECT_EQ(read_all(*log_, kShard).at(1).headers, RecordHeaders{});
  EXPECT_EQ(log_->state(kShard)->get(bytes), bytes);
}

TEST_P(EventLogContract, shards_are_apart) {
  append(*log_, ShardId{0}, {"zero"});
  append(*log_, ShardId{3}, {"three"});
  EXPECT_THAT(data_of(read_all(*log_, ShardId{0})), ElementsAre("zero"));
  EXPECT_THAT(data_of(read_all(*log_, ShardId{3})), ElementsAre("three"));
  EXPECT_THAT(read_all(*log_, ShardId{1}), IsEmpty());
  EXPECT_EQ(log_->state(ShardId{0})->get("last"), "zero");
  EXPECT_EQ(log_->state(ShardId{1})->get("last"), std::nullopt);
}

TEST_P(EventLogContract, one_commit_may_span_shards) {
  const auto transaction = begin(*log_, {ShardId{2}, ShardId{0}});
  transaction->append(ShardId{0}, record("a"));
  transaction->append(ShardId{2}, record("b"));
  transaction->end_command(ShardId{0});
  transaction->end_command(ShardId{2});
  transaction->in(ShardId{0}).put("k", "zero");
  transaction->in(ShardId{2}).put("k", "two");
  ASSERT_EQ(log_->commit(*transaction), CommitOutcome::ok);
  EXPECT_EQ(log_->end(ShardId{0}), Offset{1});
  EXPECT_EQ(log_->end(ShardId{2}), Offset{1});
  EXPECT_EQ(log_->state(ShardId{0})->get("k"), "zero");
  EXPECT_EQ(log_->state(ShardId{2})->get("k"), "two");
}

TEST_P(EventLogContract, reading_starts_after_the_offset_and_keeps_its_limits) {
  append(*log_, kShard, {"aaaa", "bbbb", "cccc", "dddd"});
  EXPECT_THAT(data_of(log_->read(kShard, Offset{2}, {})), ElementsAre("cccc", "dddd"));
  EXPECT_THAT(data_of(log_->read(kShard, Offset{1}, {.max_records = 2})),
              ElementsAre("bbbb", "cccc"));
  EXPECT_THAT(data_of(log_->read(kShard, Offset{}, {.max_bytes = 9})), ElementsAre("aaaa", "bbbb"));
  EXPECT_THAT(data_of(log_->read(kShard, Offset{}, {.max_bytes = 1})), ElementsAre("aaaa"));
  EXPECT_THAT(log_->read(kShard, Offset{}, {.max_records = 0}), IsEmpty());
  EXPECT_THAT(log_->read(kShard, Offset{4}, {}), IsEmpty());
  EXPECT_THAT(log_->read(kShard, Offset{400}, {}), IsEmpty());
}

TEST_P(EventLogContract, a_restart_keeps_everything) {
  append(*log_, kShard, {"a", "b"});
  const auto before = read_all(*log_, kShard);
  const std::string id = log_->log_info().log_id;
  reopen();
  EXPECT_EQ(read_all(*log_, kShard), before);
  EXPECT_EQ(log_->end(kShard), Offset{2});
  EXPECT_EQ(log_->state_position(kShard), Offset{2});
  EXPECT_EQ(log_->state(kShard)->get("last"), "b");
  EXPECT_EQ(log_->log_info().log_id, id);
  append(*log_, kShard, {"c"});
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(log_->verify(kShard, Offset{}, {}).end, Offset{3});
}

TEST_P(EventLogContract, another_shard_count_is_refused) {
  append(*log_, kShard, {"a"});
  log_.reset();
  try {
    under_test_->open(kShards + 1);
    FAIL() << "opened";
  } catch (const LogRefused& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("created with 4 shards, 5 were asked for"));
  }
}

TEST_P(EventLogContract, an_unknown_shard_is_an_error) {
  EXPECT_THROW(log_->end(ShardId{kShards}), std::out_of_range);
  EXPECT_THROW(read_all(*log_, ShardId{kShards}), std::out_of_range);
  EXPECT_THROW(begin(*log_, {ShardId{kShards}}), std::out_of_range);
}

}  // namespace
}  // namespace annolog::eventstore::append_test
