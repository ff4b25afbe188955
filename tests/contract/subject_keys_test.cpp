// Keys per person: made once, kept, and gone for good when erased.
#include "eventstore/subject_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/errors.hpp"
#include "eventstore/faults/damage.hpp"
#include "eventstore/files/file_subject_keys.hpp"
#include "eventstore/memory/memory_subject_keys.hpp"
#include "tests/contract/kafka_keys_topic.hpp"
#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore::subject_keys_test {
namespace {

// Where the keys of one test lie.
struct KeysPlace {
  TemporaryFolder folder;
  std::unique_ptr<KafkaKeysTopic> topic;
};

// `open` gives nothing when what the keys need is not here.
struct KeysAdapter {
  std::string name;
  std::function<std::unique_ptr<SubjectKeys>(KeysPlace&)> open;
};

std::unique_ptr<SubjectKeys> open_in_kafka(KeysPlace& place) {
  place.topic = KafkaKeysTopic::make();
  return place.topic == nullptr ? nullptr : place.topic->open();
}

class SubjectKeysContract : public ::testing::TestWithParam<KeysAdapter> {
 protected:
  void SetUp() override {
    keys_ = GetParam().open(place_);
    if (keys_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
  }

  KeysPlace place_;
  std::unique_ptr<SubjectKeys> keys_;
};

INSTANTIATE_TEST_SUITE_P(
    , SubjectKeysContract,
    ::testing::Values(KeysAdapter{"memory", [](auto&) { return make_memory_subject_keys(); }},
                      KeysAdapter{
                          "files",
                          [](auto& place) { return open_file_subject_keys(place.folder.path()); }},
                      KeysAdapter{"kafka", open_in_kafka}),
    [](const auto& adapter) { return adapter.param.name; });

TEST_P(SubjectKeysContract, a_key_is_made_once_per_subject) {
  EXPECT_EQ(keys_->get("user/1"), std::nullopt);
  const SubjectKey first = keys_->create("user/1");
  EXPECT_EQ(keys_->get("user/1"), first);
  EXPECT_EQ(keys_->create("user/1"), first);
  EXPECT_NE(keys_->create("user/2"), first);
}

TEST_P(SubjectKeysContract, an_erased_key_is_gone_and_a_new_one_is_another) {
  const SubjectKey first = keys_->create("user/1");
  const SubjectKey other = keys_->create("user/2");
  keys_->erase("user/1");
  keys_->erase("user/1");
  keys_->erase("never seen");
  EXPECT_EQ(keys_->get("user/1"), std::nullopt);
  EXPECT_EQ(keys_->get("user/2"), other);
  EXPECT_NE(keys_->create("user/1"), first);
}

TEST_P(SubjectKeysContract, many_threads_get_one_key) {
  std::vector<SubjectKey> seen(8);
  std::vector<std::thread> threads;
  for (SubjectKey& slot : seen)
    threads.emplace_back([this, &slot] { slot = keys_->create("../odd name\n"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(seen, testing::Each(seen.front()));
}

// Files of the folder and all below it.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

TEST(FileSubjectKeys, a_restart_keeps_keys_and_an_erasure_leaves_no_file) {
  const TemporaryFolder folder;
  const SubjectKey key = open_file_subject_keys(folder.path())->create("user/1");
  const auto keys = open_file_subject_keys(folder.path());
  EXPECT_EQ(keys->get("user/1"), key);
  ASSERT_EQ(files_below(folder.path()).size(), 1U);
  keys->erase("user/1");
  EXPECT_THAT(files_below(folder.path()), testing::IsEmpty());
}

TEST(FileSubjectKeys, only_the_owner_may_read_them) {
  const TemporaryFolder folder;
  open_file_subject_keys(folder.path())->create("user/1");
  using std::filesystem::perms;
  const auto mode = [](const auto& path) { return std::filesystem::status(path).permissions(); };
  EXPECT_EQ(mode(folder.path()), perms::owner_all);
  EXPECT_EQ(mode(files_below(folder.path()).at(0)), perms::owner_read | perms::owner_write);
}

TEST(FileSubjectKeys, an_erasure_cut_off_half_way_is_an_erasure) {
  const TemporaryFolder folder;
  const auto keys = open_file_subject_keys(folder.path());
  keys->create("user/1");
  std::ofstream(files_below(folder.path()).at(0), std::ios::binary) << std::string(40, '\0');
  EXPECT_EQ(keys->get("user/1"), std::nullopt);
  keys->erase("user/1");
  EXPECT_THAT(files_below(folder.path()), testing::IsEmpty());
}

TEST(FileSubjectKeys, a_damaged_key_is_told) {
  const TemporaryFolder folder;
  const auto keys = open_file_subject_keys(folder.path());
  keys->create("user/1");
  flip_byte(files_below(folder.path()).at(0), 5);
  EXPECT_THROW(keys->get("user/1"), LogCorrupted);
  EXPECT_THROW(keys->create("user/1"), LogCorrupted);
}

}  // namespace
}  // namespace annolog::eventstore::subject_keys_test
