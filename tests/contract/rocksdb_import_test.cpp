// Folders that a copy of a log may not go into.
#include "eventstore/rocksdb/rocksdb_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore::rocksdb_import_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const LogInfo kInfo{"7d5e1d6f-2c1b-4b1c-9b0e-6d1f6a1f7c11", 1, 2};

std::string refusal(const fs::path& folder) {
  try {
    open_rocksdb_import({.folder = folder}, kInfo);
  } catch (const LogRefused& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

std::size_t count_entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(RocksdbImport, a_folder_with_something_else_in_it_is_refused_and_left_as_it_was) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "log");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("is not empty and holds no log: log is in it"));
  EXPECT_EQ(count_entries(folder.path()), 1U);
  fs::remove(folder.path() / "log");
  std::ofstream(folder.path() / "notes.txt") << "mine";
  EXPECT_THAT(refusal(folder.path()), HasSubstr("notes.txt"));
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(RocksdbImport, an_empty_folder_is_taken_and_so_is_one_whose_making_was_cut_off) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path());
  std::ofstream(folder.path() / "LOCK") << "";
  EXPECT_NE(open_rocksdb_import({.folder = folder.path()}, kInfo), nullptr);
}

TEST(RocksdbImport, a_folder_in_use_is_refused) {
  const TemporaryFolder folder;
  const auto held = open_rocksdb_import({.folder = folder.path()}, kInfo);
  EXPECT_THAT(refusal(folder.path()), HasSubstr("in use"));
}

TEST(RocksdbImport, another_number_of_shards_is_refused) {
  const TemporaryFolder folder;
  open_rocksdb_import({.folder = folder.path()}, {kInfo.log_id, 1, 3});
  EXPECT_THAT(refusal(folder.path()), HasSubstr("3 shards, the source has 2"));
}

}  // namespace
}  // namespace annolog::eventstore::rocksdb_import_test
