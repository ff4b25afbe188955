// The embedded log on a disk that fills up, fails to sync, or loses power, and with damaged files.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "eventstore/faults/damage.hpp"
#include "eventstore/faults/fault_disk.hpp"
#include "eventstore/rocksdb/open.hpp"
#include "eventstore/rocksdb/read_only_disk.hpp"
#include "tests/contract/log_adapters.hpp"
#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore::rocksdb_faults_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RocksdbFaults : public testing::Test {
 protected:
  RocksdbFaults() {
    options_.folder = folder_.path();
    options_.shard_count = kShards;
    options_.min_free_bytes = 0;  // so that the disk itself is what refuses
    options_.resume_backoff_ms = 0;
    open();
  }

  void open() { log_ = open_rocksdb_log(options_, disk_.env()); }
  void lose_power(std::uint64_t torn_bytes) {
    disk_.cut_power();
    log_.reset();
    disk_.restore_power(torn_bytes);
  }
  // As a caller who is refused for want of room comes again: RocksDB's own threads may meet the
  // full disk late, and it rests for a second before it resumes.
  CommitOutcome append_once_there_is_room(ShardId shard, const std::string& data) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    CommitOutcome outcome = append(*log_, shard, {data});
    while (outcome == CommitOutcome::refused_no_space && std::chrono::steady_clock::now() < until)
      outcome = append(*log_, shard, {data});
    return outcome;
  }
  // What a killed process leaves: its files as they are, without the work of closing.
  std::filesystem::path killed_copy() const {
    const std::filesystem::path copy = folder_.root() / "killed";
    std::filesystem::copy(folder_.path(), copy);
    return copy;
  }
  std::unique_ptr<EventLog> open_copy(const std::filesystem::path& folder) const {
    return open_rocksdb_log({.folder = folder, .shard_count = kShards});
  }

  TemporaryFolder folder_;
  FaultDisk disk_;
  RocksdbLogOptions options_;
  std::unique_ptr<EventLog> log_;
};

std::string long_text(unsigned seed, std::size_t size) {
  std::string text;
  for (std::uint64_t state = seed + 1; text.size() < size;) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    text.push_back(static_cast<char>('!' + (state >> 33U) % 90));
  }
  return text;
}

TEST_F(RocksdbFaults, lost_power_takes_nothing_that_was_acknowledged) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(append(*log_, kShard, {"a", "b"}), CommitOutcome::ok);
    ASSERT_EQ(append(*log_, ShardId{2}, {"c"}), CommitOutcome::ok);
    lose_power(0);
    open();
    const auto commits = static_cast<std::uint64_t>(round) + 1;
    EXPECT_EQ(log_->verify(kShard, Offset{}, {}).records, commits * 2);
    EXPECT_EQ(log_->end(ShardId{2}), Offset{commits});
    EXPECT_EQ(log_->state_position(kShard), log_->end(kShard));
  }
}

TEST_F(RocksdbFaults, a_torn_tail_is_cut_off_as_it_was_never_acknowledged) {
  std::vector<std::string> kept;
  for (const std::uint64_t torn_bytes : {1U, 6U, 7U, 60U, 399U}) {
    kept.push_back(fmt::format("kept {}", torn_bytes));
    ASSERT_EQ(append(*log_, kShard, {kept.back()}), CommitOutcome::ok);
    disk_.set_room_bytes(400);
    ASSERT_EQ(append(*log_, kShard, {long_text(1, 2000)}), CommitOutcome::refused_no_space);
    lose_power(torn_bytes);
    disk_.set_room_bytes(std::nullopt);
    open();
    EXPECT_EQ(data_of(read_all(*log_, kShard)), kept);
    EXPECT_EQ(log_->state(kShard)->get("last"), kept.back());
  }
}

TEST_F(RocksdbFaults, a_killed_process_leaves_a_log_that_opens) {
  ASSERT_EQ(append(*log_, kShard, {"a", "b"}), CommitOutcome::ok);
  const auto copy = open_copy(killed_copy());
  EXPECT_EQ(read_all(*copy, kShard), read_all(*log_, kShard));
  EXPECT_EQ(append(*copy, kShard, {"c"}), CommitOutcome::ok);
}

TEST_F(RocksdbFaults, a_full_disk_refuses_writes_and_is_forgotten_when_there_is_room) {
  for (const std::uint64_t room : {0U, 10U, 300U}) {
    const std::string name = fmt::format("before {}", room);
    ASSERT_EQ(append(*log_, kShard, {name}), CommitOutcome::ok);
    const Offset end = log_->end(kShard);
    disk_.set_room_bytes(room);
    EXPECT_EQ(append(*log_, kShard, {long_text(2, 5000)}), CommitOutcome::refused_no_space);
    EXPECT_EQ(append(*log_, ShardId{3}, {"other"}), CommitOutcome::refused_no_space);
    EXPECT_FALSE(log_->health().writable);
    EXPECT_FALSE(log_->health().fatal) << log_->health().detail;
    EXPECT_FALSE(log_->health().detail.empty());
    EXPECT_EQ(log_->end(kShard), end);
    EXPECT_EQ(read_all(*log_, kShard).back().data, name);
    EXPECT_EQ(log_->state(kShard)->get("last"), name);
    disk_.set_room_bytes(std::nullopt);
    EXPECT_EQ(append_once_there_is_room(kShard, "after"), CommitOutcome::ok);
    EXPECT_TRUE(log_->health().writable) << log_->health().detail;
  }
  const auto before = read_all(*log_, kShard);
  lose_power(1U << 20U);
  open();
  EXPECT_EQ(read_all(*log_, kShard), before);
  EXPECT_EQ(log_->verify(kShard, Offset{}, {}).records, 6U);
  EXPECT_EQ(log_->end(ShardId{3}), Offset{});
}

TEST_F(RocksdbFaults, the_very_first_commit_may_meet_a_full_disk) {
  disk_.set_room_bytes(20);
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
  disk_.set_room_bytes(std::nullopt);
  ASSERT_TRUE(log_->try_resume()) << log_->health().detail;
  EXPECT_EQ(append(*log_, kShard, {"a"}), CommitOutcome::ok);
  lose_power(1U << 20U);
  open();
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a"));
}

// Small tables: that they are full and the disk is, too, happens at any distance from each other.
TEST_F(RocksdbFaults, a_full_disk_may_be_met_while_a_table_is_written) {
  log_.reset();
  options_.write_buffer_bytes = 64U << 10U;
  options_.longest_resume_ms = 2'000;
  open();
  std::vector<std::string> kept;
  for (unsigned between = 0; between < 8; ++between) {
    for (unsigned i = 0; i <= between; ++i) {
      kept.push_back(long_text(between * 100 + i, 9000));
      ASSERT_EQ(append_once_there_is_room(kShard, kept.back()), CommitOutcome::ok);
    }
    disk_.set_room_bytes(300);
    EXPECT_EQ(append(*log_, kShard, {long_text(3, 5000)}), CommitOutcome::refused_no_space);
    disk_.set_room_bytes(std::nullopt);
    kept.push_back(fmt::format("after {}", between));
    const CommitOutcome outcome = append_once_there_is_room(kShard, kept.back());
    if (outcome == CommitOutcome::ok) continue;
    ASSERT_EQ(outcome, CommitOutcome::fatal) << log_->health().detail;
    EXPECT_THAT(log_->health().detail, HasSubstr("within 2000 ms"));
    log_.reset();
    open();
    ASSERT_EQ(append(*log_, kShard, {kept.back()}), CommitOutcome::ok);
  }
  kept.emplace_back("last");
  ASSERT_EQ(append(*log_, kShard, {"last"}), CommitOutcome::ok);
  lose_power(1U << 20U);
  open();
  EXPECT_EQ(data_of(read_all(*log_, kShard)), kept);
}

// Tables of records, of state and of the ends are full at different times.
TEST_F(RocksdbFaults, power_may_be_lost_while_tables_are_written) {
  options_.write_buffer_bytes = 64U << 10U;
  std::vector<std::string> kept;
  for (unsigned round = 0; round < 10; ++round) {
    for (unsigned i = 0; i <= round; ++i) {
      kept.push_back(long_text(round * 100 + i, 9000));
      ASSERT_EQ(append(*log_, kShard, {kept.back()}), CommitOutcome::ok);
    }
    lose_power(round * 50);
    open();
    EXPECT_EQ(data_of(read_all(*log_, kShard)), kept);
    EXPECT_EQ(log_->verify(kShard, Offset{}, {}).records, kept.size());
    EXPECT_EQ(log_->state_position(kShard), log_->end(kShard));
    EXPECT_EQ(log_->state(kShard)->get("last"), kept.back());
  }
}

TEST_F(RocksdbFaults, resuming_that_hangs_is_given_up_and_the_next_start_goes_on) {
  log_.reset();
  options_.longest_resume_ms = 100;
  open();
  ASSERT_EQ(append(*log_, kShard, {"a"}), CommitOutcome::ok);
  disk_.set_room_bytes(0);
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
  disk_.set_room_bytes(std::nullopt);
  disk_.hold_new_files(true);
  EXPECT_FALSE(log_->try_resume());
  EXPECT_TRUE(log_->health().fatal);
  EXPECT_THAT(log_->health().detail, HasSubstr("within 100 ms"));
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::fatal);
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a"));
  disk_.hold_new_files(false);
  lose_power(0);
  open();
  EXPECT_EQ(append(*log_, kShard, {"b"}), CommitOutcome::ok);
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a", "b"));
}

TEST_F(RocksdbFaults, writing_stops_before_the_last_bytes_of_the_disk_are_used) {
  log_.reset();
  options_.min_free_bytes = 1U << 20U;
  open();
  disk_.set_room_bytes(1U << 19U);
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
  EXPECT_THAT(log_->health().detail, HasSubstr("524288 bytes are free"));
  EXPECT_FALSE(log_->try_resume());
  disk_.set_room_bytes(1U << 21U);
  EXPECT_TRUE(log_->try_resume());
  EXPECT_EQ(append(*log_, kShard, {"a"}), CommitOutcome::ok);
}

TEST_F(RocksdbFaults, room_is_left_for_a_flush_of_all_that_is_in_memory) {
  log_.reset();
  options_ = {.folder = options_.folder,
              .shard_count = kShards,
              .write_buffer_bytes = 8U << 20U,
              .resume_backoff_ms = 0};
  open();
  disk_.set_room_bytes(39U << 20U);
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
  disk_.set_room_bytes(41U << 20U);
  EXPECT_TRUE(log_->try_resume());
  EXPECT_EQ(append(*log_, kShard, {"a"}), CommitOutcome::ok);
}

TEST_F(RocksdbFaults, resuming_is_tried_once_per_back_off) {
  log_.reset();
  options_.resume_backoff_ms = 3'600'000;
  open();
  disk_.set_room_bytes(0);
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
  disk_.set_room_bytes(std::nullopt);
  EXPECT_FALSE(log_->try_resume());
  EXPECT_EQ(append(*log_, kShard, {"refused"}), CommitOutcome::refused_no_space);
}

TEST_F(RocksdbFaults, after_a_failed_sync_nothing_is_trusted_any_more) {
  ASSERT_EQ(append(*log_, kShard, {"a"}), CommitOutcome::ok);
  disk_.fail_syncs(true);
  EXPECT_EQ(append(*log_, kShard, {"unknown"}), CommitOutcome::fatal);
  disk_.fail_syncs(false);
  EXPECT_EQ(append(*log_, ShardId{2}, {"b"}), CommitOutcome::fatal);
  EXPECT_TRUE(log_->health().fatal);
  EXPECT_THAT(log_->health().detail, HasSubstr("sync"));
  EXPECT_FALSE(log_->try_resume());
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a"));
  EXPECT_EQ(log_->end(kShard), Offset{1});
  lose_power(0);
  open();
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a"));
  EXPECT_EQ(append(*log_, kShard, {"b"}), CommitOutcome::ok);
}

TEST_F(RocksdbFaults, a_flipped_byte_in_the_write_ahead_log_is_refused_and_its_file_named) {
  for (int i = 0; i < 5; ++i) append(*log_, kShard, {long_text(3, 500)});
  const std::filesystem::path copy = killed_copy();
  const std::filesystem::path wal = largest_file(copy, ".log");
  flip_byte(wal, std::filesystem::file_size(wal) / 2);
  EXPECT_THAT([&] { open_copy(copy); },
              ThrowsMessage<LogCorrupted>(HasSubstr(wal.filename().string())));
}

TEST_F(RocksdbFaults, a_flipped_byte_in_a_table_is_named_by_shard_and_offset) {
  for (unsigned i = 0; i < 60; ++i) append(*log_, kShard, {long_text(i, 2000)});
  log_.reset();
  const std::filesystem::path table = largest_file(folder_.path(), ".sst");
  flip_byte(table, std::filesystem::file_size(table) / 4);
  open();
  try {
    log_->verify(kShard, Offset{}, {});
    FAIL() << "verified";
  } catch (const LogCorrupted& damage) {
    ASSERT_TRUE(damage.position().has_value());
    EXPECT_EQ(damage.position()->shard, kShard);
    EXPECT_THAT(damage.what(), HasSubstr(table.filename().string()));
  }
  EXPECT_THROW(read_all(*log_, kShard), LogCorrupted);
}

TEST_F(RocksdbFaults, a_missing_file_is_named) {
  append(*log_, kShard, {"a"});
  log_.reset();
  const std::filesystem::path table = largest_file(folder_.path(), ".sst");
  const std::filesystem::path current = folder_.path() / "CURRENT";
  for (const auto& [missing, named] :
       {std::pair{table, table.filename().string()}, std::pair{current, std::string("CURRENT")}}) {
    std::filesystem::rename(missing, folder_.root() / "aside");
    EXPECT_THAT([&] { open(); }, ThrowsMessage<LogCorrupted>(HasSubstr(named)));
    std::filesystem::rename(folder_.root() / "aside", missing);
  }
  open();
  EXPECT_THAT(data_of(read_all(*log_, kShard)), ElementsAre("a"));
}

TEST_F(RocksdbFaults, a_missing_write_ahead_log_is_refused) {
  append(*log_, kShard, {"a"});
  const std::filesystem::path copy = killed_copy();
  while (std::filesystem::remove(largest_file(copy, ".log")) &&
         std::any_of(std::filesystem::directory_iterator(copy), {},
                     [](const auto& entry) { return entry.path().extension() == ".log"; })) {
  }
  EXPECT_THAT([&] { open_copy(copy); }, ThrowsMessage<LogCorrupted>(HasSubstr("*.log")));
}

TEST_F(RocksdbFaults, a_second_process_is_refused_but_may_read) {
  append(*log_, kShard, {"a"});
  EXPECT_THAT([&] { open_copy(folder_.path()); },
              ThrowsMessage<LogRefused>(HasSubstr("in use by another process")));
  const auto reader =
      open_rocksdb_log({.folder = folder_.path(), .shard_count = 0, .read_only = true});
  EXPECT_EQ(reader->shard_count(), kShards);
  EXPECT_EQ(reader->verify(kShard, Offset{}, {}).records, 1U);
  EXPECT_THROW(begin(*reader, {kShard}), std::logic_error);
}

TEST_F(RocksdbFaults, a_reader_sees_what_was_committed_since_once_it_refreshes) {
  append(*log_, kShard, {"a"});
  const auto reader =
      open_rocksdb_log({.folder = folder_.path(), .shard_count = 0, .read_only = true});
  append(*log_, kShard, {"b", "c"});
  EXPECT_EQ(reader->end(kShard), Offset{1});
  reader->refresh();
  EXPECT_EQ(reader->end(kShard), Offset{3});
  EXPECT_THAT(data_of(read_all(*reader, kShard)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(reader->verify(kShard, Offset{1}, {}).records, 2U);
  log_->refresh();  // means nothing to the writer
  append(*log_, kShard, {"d"});
  EXPECT_EQ(log_->end(kShard), Offset{4});
}

TEST(ReadOnlyDisk, IsToldFromOtherFailures) {
  const auto status = [](int error) {
    return rocksdb::Status::IOError("While appending to file", std::strerror(error));
  };
  EXPECT_TRUE(is_read_only_disk(status(EROFS)));
  EXPECT_FALSE(is_read_only_disk(status(EIO)));
  EXPECT_FALSE(is_read_only_disk(rocksdb::Status::NoSpace("disk", std::strerror(ENOSPC))));
  EXPECT_FALSE(is_read_only_disk(rocksdb::Status::OK()));
}

}  // namespace
}  // namespace annolog::eventstore::rocksdb_faults_test
