// A group of commands: each whole or not at all, each seeing those before it.
#include <thread>

#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::transaction_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(EventLogContract, a_refused_command_leaves_the_others_of_its_group) {
  const auto group = begin(*log_, {kShard, ShardId{2}});
  group->savepoint();
  EXPECT_EQ(group->append(kShard, record("first")), Offset{1});
  group->put("k", "first");
  group->end_command(kShard);

  group->savepoint();
  const std::size_t bytes_before = group->bytes();
  group->append(kShard, record("refused"));
  group->append(ShardId{2}, record("refused"));
  group->put("k", "refused");
  group->put("k", "refused again");
  group->put("new", "refused");
  group->in(ShardId{2}).put("k", "refused");
  group->end_command(ShardId{2});
  group->rollback();
  EXPECT_EQ(group->record_count(), 1U);
  EXPECT_EQ(group->command_count(), 1U);
  EXPECT_EQ(group->bytes(), bytes_before);
  EXPECT_EQ(group->in(kShard).get("k"), "first");
  EXPECT_EQ(group->get("new"), std::nullopt);

  group->savepoint();
  EXPECT_EQ(group->append(kShard, record("third")), Offset{2});
  group->end_command(kShard);
  ASSERT_EQ(log_->commit(*group), CommitOutcome::ok);
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("first", "third"));
  EXPECT_TRUE(read_all(*log_, kShard)[0].last_of_command);
  EXPECT_THAT(all_state(*log_->state(kShard)), ElementsAre(testing::Pair("k", "first")));
  EXPECT_THAT(read_all(*log_, ShardId{2}), IsEmpty());
  EXPECT_THAT(all_state(*log_->state(ShardId{2})), IsEmpty());
}

TEST_P(EventLogContract, rollback_brings_back_what_was_committed_and_erased) {
  append(*log_, kShard, {"kept"});
  const auto group = begin(*log_, {kShard});
  group->erase("last");
  EXPECT_EQ(group->get("last"), std::nullopt);
  group->put("last", "other");
  group->rollback();
  EXPECT_EQ(group->get("last"), "kept");
  EXPECT_EQ(log_->commit(*group), CommitOutcome::ok);
  EXPECT_EQ(log_->end(kShard), Offset{1});
}

TEST_P(EventLogContract, nothing_is_seen_before_the_commit_nor_after_dropping_it) {
  {
    const auto dropped = begin(*log_, {kShard});
    dropped->append(kShard, record("a"));
    dropped->end_command(kShard);
    dropped->put("k", "v");
    EXPECT_THAT(read_all(*log_, kShard), IsEmpty());
    EXPECT_EQ(log_->state(kShard)->get("k"), std::nullopt);
  }
  reopen();
  EXPECT_THAT(read_all(*log_, kShard), IsEmpty());
  EXPECT_EQ(log_->state(kShard)->get("k"), std::nullopt);
}

std::vector<std::string> scan(const StateView& view, std::string_view from, bool reverse,
                              std::size_t most = 100) {
  std::vector<std::string> seen;
  const ScanCallback collect = [&](std::string_view key, std::string_view value) {
    seen.push_back(std::string(key) + "=" + std::string(value));
    return seen.size() < most;
  };
  if (reverse) {
    view.scan_reverse("t/", from, collect);
  } else {
    view.scan("t/", from, collect);
  }
  return seen;
}

void put_old(EventLog& log) {
  const auto first = begin(log, {kShard});
  first->append(kShard, record("a"));
  first->end_command(kShard);
  for (const char* key : {"s/9", "t/1", "t/3", "t/5", "u/1"}) first->put(key, "old");
  ASSERT_EQ(log.commit(*first), CommitOutcome::ok);
}

TEST_P(EventLogContract, a_transaction_sees_its_own_writes_over_the_committed_ones) {
  put_old(*log_);
  const auto group = begin(*log_, {kShard});
  for (const char* key : {"t/0", "t/3", "t/4", "t/6", "u/0"}) group->put(key, "new");
  group->erase("t/5");
  group->erase("t/never");
  EXPECT_EQ(group->get("t/1"), "old");
  EXPECT_EQ(group->get("t/3"), "new");
  EXPECT_EQ(group->get("t/5"), std::nullopt);
  EXPECT_THAT(scan(*group, "", false),
              ElementsAre("t/0=new", "t/1=old", "t/3=new", "t/4=new", "t/6=new"));
  EXPECT_THAT(scan(*group, "t/3", false), ElementsAre("t/3=new", "t/4=new", "t/6=new"));
  EXPECT_THAT(scan(*group, "", true),
              ElementsAre("t/6=new", "t/4=new", "t/3=new", "t/1=old", "t/0=new"));
  EXPECT_THAT(scan(*group, "t/3", true), ElementsAre("t/3=new", "t/1=old", "t/0=new"));
  EXPECT_THAT(scan(*group, "", false, 2), ElementsAre("t/0=new", "t/1=old"));
  EXPECT_THAT(scan(*group, "", true, 2), ElementsAre("t/6=new", "t/4=new"));
}

TEST_P(EventLogContract, scans_of_committed_state_keep_prefix_start_and_order) {
  put_old(*log_);
  const auto view = log_->state(kShard);
  EXPECT_THAT(scan(*view, "", false), ElementsAre("t/1=old", "t/3=old", "t/5=old"));
  EXPECT_THAT(scan(*view, "t/2", false), ElementsAre("t/3=old", "t/5=old"));
  EXPECT_THAT(scan(*view, "a", false), ElementsAre("t/1=old", "t/3=old", "t/5=old"));
  EXPECT_THAT(scan(*view, "z", false), IsEmpty());
  EXPECT_THAT(scan(*view, "", true), ElementsAre("t/5=old", "t/3=old", "t/1=old"));
  EXPECT_THAT(scan(*view, "t/3", true), ElementsAre("t/3=old", "t/1=old"));
  EXPECT_THAT(scan(*view, "z", true), ElementsAre("t/5=old", "t/3=old", "t/1=old"));
  EXPECT_THAT(scan(*view, "a", true), IsEmpty());
}

TEST_P(EventLogContract, a_shard_has_one_writer_at_a_time) {
  {
    const auto holder = begin(*log_, {kShard});
    EXPECT_THROW(begin(*log_, {ShardId{0}, kShard}), std::logic_error);
    EXPECT_NO_THROW(begin(*log_, {ShardId{0}}));  // the failed claim holds nothing
    EXPECT_THROW(log_->reset_state(kShard), std::logic_error);
    EXPECT_THROW(holder->append(ShardId{0}, record("a")), std::logic_error);
    EXPECT_THROW(holder->in(ShardId{0}), std::logic_error);
  }
  EXPECT_NO_THROW(begin(*log_, {kShard}));
}

TEST_P(EventLogContract, misuse_of_a_transaction_is_an_error) {
  {
    const auto state_only = begin(*log_, {kShard});
    state_only->put("k", "v");
    EXPECT_THROW(log_->commit(*state_only), std::logic_error);
  }
  {
    const auto open_command = begin(*log_, {kShard});
    open_command->append(kShard, record("a"));
    EXPECT_THROW(log_->commit(*open_command), std::logic_error);
  }
  const auto twice = begin(*log_, {kShard});
  EXPECT_EQ(log_->commit(*twice), CommitOutcome::ok);
  EXPECT_THROW(log_->commit(*twice), std::logic_error);
}

TEST_P(EventLogContract, writers_of_different_shards_do_not_disturb_each_other) {
  constexpr std::uint64_t kCommits = 50;
  std::vector<std::thread> writers;
  for (std::uint16_t i = 0; i < kShards; ++i)
    writers.emplace_back([this, i] {
      for (std::uint64_t n = 0; n < kCommits; ++n)
        ASSERT_EQ(append(*log_, ShardId{i}, {std::to_string(n), "x"}), CommitOutcome::ok);
    });
  for (std::thread& writer : writers) writer.join();
  reopen();
  for (std::uint16_t i = 0; i < kShards; ++i) {
    EXPECT_EQ(log_->end(ShardId{i}), Offset{kCommits * 2});
    EXPECT_EQ(log_->verify(ShardId{i}, Offset{}, {}).records, kCommits * 2);
    EXPECT_EQ(read_all(*log_, ShardId{i}).at(kCommits).data, std::to_string(kCommits / 2));
  }
}

}  // namespace
}  // namespace annolog::eventstore::transaction_test
