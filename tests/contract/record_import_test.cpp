// A log that is made the copy of another one: what it refuses, and that it is the same log then.
#include "eventstore/chain.hpp"
#include "eventstore/copy_log.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::record_import_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ShardId kOther{3};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const LogRefused& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

class RecordImportContract : public ::testing::TestWithParam<Adapter> {
 protected:
  void SetUp() override {
    target_ = GetParam().make();
    if (target_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
    append(*source_, kShard, {"a", "b"});
    append(*source_, kShard, {"c"});
    append(*source_, kOther, {"d"});
  }

  std::unique_ptr<RecordImport> import() { return target_->open_import(source_->log_info()); }

  CopyReport copy(const CopyOptions& options = {}) {
    const auto open = import();
    return copy_records(*source_, *open, options);
  }

  std::shared_ptr<MemoryStore> store_ = make_memory_store(kShards);
  std::unique_ptr<EventLog> source_ = open_memory_log(store_, kShards);
  std::unique_ptr<LogUnderTest> target_;
};

INSTANTIATE_TEST_SUITE_P(, RecordImportContract, ::testing::ValuesIn(adapters()),
                         [](const auto& adapter) { return adapter.param.name; });

TEST_P(RecordImportContract, a_copy_is_the_same_log) {
  EXPECT_EQ(copy().copied, 4U);
  const auto log = target_->open(kShards);
  EXPECT_EQ(log->log_info().log_id, source_->log_info().log_id);
  for (std::uint16_t i = 0; i < kShards; ++i) {
    const ShardId shard(i);
    EXPECT_EQ(read_all(*log, shard), read_all(*source_, shard));
    EXPECT_EQ(log->verify(shard, Offset{}, {}).chain, source_->verify(shard, Offset{}, {}).chain);
  }
  EXPECT_EQ(first_difference(*source_, *log), std::nullopt);
}

TEST_P(RecordImportContract, a_new_target_ends_where_nothing_is) {
  const auto open = import();
  EXPECT_EQ(open->end(kShard), (ShardEnd{Offset{}, ChainHasher().genesis(kShard, kShards)}));
}

TEST_P(RecordImportContract, the_state_stays_behind_and_can_be_folded_and_written_to) {
  copy();
  const auto log = target_->open(kShards);
  EXPECT_EQ(log->state_position(kShard), Offset{});
  EXPECT_THROW(begin(*log, {kShard}), std::logic_error);
  log->apply_state(kShard, Offset{3}, [](StateWriter& state) { state.put("last", "c"); });
  EXPECT_EQ(append(*log, kShard, {"e"}), CommitOutcome::ok);
  EXPECT_THAT(data_of(read_all(*log, kShard)), ElementsAre("a", "b", "c", "e"));
  EXPECT_EQ(log->verify(kShard, Offset{}, {}).records, 4U);
}

TEST_P(RecordImportContract, nothing_is_there_before_the_commit) {
  {
    const auto open = import();
    open->append(read_all(*source_, kShard));
  }
  const auto open = import();
  EXPECT_EQ(open->end(kShard).offset, Offset{});
}

TEST_P(RecordImportContract, a_commit_holds_what_was_taken_of_all_shards) {
  {
    const auto open = import();
    open->append(read_all(*source_, kShard));
    open->append(read_all(*source_, kOther));
    EXPECT_EQ(open->end(kShard).offset, Offset{3});
    open->commit();
    open->commit();  // nothing more: no effect
  }
  const auto open = import();
  EXPECT_EQ(open->end(kShard), stored_end(*source_, kShard));
  EXPECT_EQ(open->end(kOther), stored_end(*source_, kOther));
}

TEST_P(RecordImportContract, only_the_next_record_follows) {
  const auto open = import();
  const auto records = read_all(*source_, kShard);
  EXPECT_THROW(open->append(std::span(records).subspan(1)), std::logic_error);
}

TEST_P(RecordImportContract, an_interrupted_copy_goes_on_where_it_ends) {
  int asked = 0;
  const CopyReport first = copy({.commit_records = 1, .stop = [&] { return ++asked == 1; }});
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.copied, 2U);  // the first command, whole
  append(*source_, kShard, {"later"});
  std::vector<std::uint64_t> told;
  const CopyReport second = copy({.on_progress = [&](std::uint64_t there, std::uint64_t of) {
    told.push_back(there);
    EXPECT_EQ(of, 5U);
  }});
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.copied, 3U);
  EXPECT_THAT(told, ElementsAre(2U, 5U));
  EXPECT_EQ(copy().copied, 0U);
  EXPECT_EQ(first_difference(*source_, *target_->open(kShards)), std::nullopt);
}

TEST_P(RecordImportContract, another_log_is_refused) {
  const std::string there = target_->open(kShards)->log_info().log_id;
  const std::string why = refusal([&] { import(); });
  EXPECT_THAT(why, HasSubstr("holds another log"));
  EXPECT_THAT(why, HasSubstr(there));
  EXPECT_THAT(why, HasSubstr(source_->log_info().log_id));
}

TEST_P(RecordImportContract, a_copy_that_went_its_own_way_is_refused) {
  copy();
  {
    const auto log = target_->open(kShards);
    log->apply_state(kOther, Offset{1}, [](StateWriter&) {});
    append(*log, kOther, {"its own"});
  }
  const std::string longer = refusal([&] { copy(); });
  EXPECT_THAT(longer, HasSubstr("shard 3: the target has offset 2, the source ends at 1"));
  append(*source_, kOther, {"of the source"});
  const std::string different = refusal([&] { copy(); });
  EXPECT_THAT(different, HasSubstr("shard 3 offset 2"));
  const auto log = target_->open(kShards);
  EXPECT_THAT(*first_difference(*source_, *log), HasSubstr("shard 3: the source ends at 2"));
}

TEST_P(RecordImportContract, a_damaged_source_is_named_and_nothing_after_it_is_copied) {
  append(*source_, kShard, {"e"});
  stored_record(*store_, kShard, Offset{3})[40] ^= 1;
  try {
    copy({.commit_records = 1});
    FAIL() << "copied";
  } catch (const LogCorrupted& damage) {
    EXPECT_EQ(damage.position(), (Position{kShard, Offset{3}}));
  }
  const auto open = import();
  EXPECT_EQ(open->end(kShard).offset, Offset{2});
}

TEST_P(RecordImportContract, a_command_is_never_parted) {
  append(*source_, kShard, {"1", "2", "3", "4", "5"});
  std::vector<std::uint64_t> told;
  copy({.commit_records = 2,
        .on_progress = [&](std::uint64_t there, std::uint64_t) { told.push_back(there); }});
  EXPECT_THAT(told, ElementsAre(0U, 2U, 8U, 9U));
}

}  // namespace
}  // namespace annolog::eventstore::record_import_test
