// State is a fold of the records: it moves with them, can be dropped and folded again.
#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::state_test {
namespace {

using testing::IsEmpty;

// Counts records and keeps each one's data: what a fold does, in small.
void fold_record(const Record& each, StateWriter& state) {
  const std::string count = state.get("count").value_or("");
  state.put("count", count + "|");
  state.put("data/" + each.headers.id, each.data);
  if (each.headers.id == "id-b") state.erase("data/id-a");
}

void append_folded(EventLog& log, const std::string& name) {
  const auto group = begin(log, {kShard});
  const Offset offset = group->append(kShard, record(name));
  group->end_command(kShard);
  fold_record({{kShard, offset}, record(name).headers, name}, *group);
  ASSERT_EQ(log.commit(*group), CommitOutcome::ok);
}

TEST_P(EventLogContract, state_folded_again_has_the_same_bytes) {
  for (const char* name : {"a", "b", "c", "d"}) append_folded(*log_, name);
  append(*log_, ShardId{2}, {"other"});
  const auto before = all_state(*log_->state(kShard));
  ASSERT_EQ(before.size(), 4U);

  log_->reset_state(kShard);
  reopen();
  EXPECT_THAT(all_state(*log_->state(kShard)), IsEmpty());
  EXPECT_EQ(log_->state_position(kShard), Offset{});
  EXPECT_EQ(log_->end(kShard), Offset{4});
  EXPECT_EQ(log_->state(ShardId{2})->get("last"), "other");

  for (const auto& records :
       {log_->read(kShard, Offset{}, {.max_records = 3}), log_->read(kShard, Offset{3}, {})})
    log_->apply_state(kShard, records.back().position.offset, [&](StateWriter& state) {
      for (const Record& each : records) fold_record(each, state);
    });
  EXPECT_EQ(all_state(*log_->state(kShard)), before);
  EXPECT_EQ(log_->state_position(kShard), Offset{4});
  append_folded(*log_, "e");
  reopen();
  EXPECT_EQ(log_->state(kShard)->get("count"), "|||||");
  EXPECT_EQ(log_->state(kShard)->position(), Offset{5});
}

TEST_P(EventLogContract, a_shard_whose_state_lags_takes_no_command) {
  append(*log_, kShard, {"a", "b"});
  log_->reset_state(kShard);
  EXPECT_THROW(begin(*log_, {kShard}), std::logic_error);
  log_->apply_state(kShard, Offset{1}, [](StateWriter&) {});
  EXPECT_THROW(begin(*log_, {kShard}), std::logic_error);
  log_->apply_state(kShard, Offset{2}, [](StateWriter&) {});
  EXPECT_NO_THROW(begin(*log_, {kShard}));
}

TEST_P(EventLogContract, a_fold_neither_goes_back_nor_past_the_end) {
  append(*log_, kShard, {"a", "b"});
  EXPECT_THROW(log_->apply_state(kShard, Offset{3}, [](StateWriter&) {}), std::logic_error);
  EXPECT_THROW(log_->apply_state(kShard, Offset{1}, [](StateWriter&) {}), std::logic_error);
}

TEST_P(EventLogContract, a_fold_that_throws_writes_nothing) {
  append(*log_, kShard, {"a"});
  log_->reset_state(kShard);
  const auto broken = [](StateWriter& state) {
    state.put("half", "done");
    throw std::runtime_error("can't decode");
  };
  EXPECT_THROW(log_->apply_state(kShard, Offset{1}, broken), std::runtime_error);
  EXPECT_EQ(log_->state_position(kShard), Offset{});
  EXPECT_THAT(all_state(*log_->state(kShard)), IsEmpty());
}

TEST_P(EventLogContract, a_snapshot_does_not_change) {
  append(*log_, kShard, {"before"});
  const auto snapshot = log_->state(kShard);
  append(*log_, kShard, {"after"});
  EXPECT_EQ(snapshot->get("last"), "before");
  EXPECT_EQ(snapshot->position(), Offset{1});
  EXPECT_EQ(log_->state(kShard)->get("last"), "after");
  EXPECT_EQ(log_->state(kShard)->position(), Offset{2});
}

TEST_P(EventLogContract, subscribers_hear_of_each_commit_until_they_leave) {
  std::vector<std::pair<ShardId, Offset>> heard;
  auto subscription =
      log_->subscribe([&](ShardId shard, Offset end) { heard.emplace_back(shard, end); });
  append(*log_, kShard, {"a", "b"});
  append(*log_, ShardId{3}, {"c"});
  begin(*log_, {kShard});
  using Heard = std::pair<ShardId, Offset>;
  EXPECT_THAT(heard, testing::ElementsAre(Heard{kShard, Offset{2}}, Heard{ShardId{3}, Offset{1}}));
  subscription.reset();
  append(*log_, kShard, {"d"});
  EXPECT_EQ(heard.size(), 2U);
}

TEST_P(EventLogContract, a_subscriber_can_read_what_it_hears_of) {
  std::vector<std::string> seen;
  const auto subscription = log_->subscribe([&](ShardId shard, Offset end) {
    seen.push_back(log_->read(shard, Offset{end.value - 1}, {}).at(0).data);
    seen.push_back(log_->state(shard)->get("last").value_or("none"));
  });
  append(*log_, kShard, {"a"});
  EXPECT_THAT(seen, testing::ElementsAre("a", "a"));
}

}  // namespace
}  // namespace annolog::eventstore::state_test
