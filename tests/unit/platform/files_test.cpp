#include "platform/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>
#include <system_error>

namespace annolog::platform::files_test {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(AtomicWrite, leaves_the_new_content_and_nothing_else) {
  const TempDir dir;
  const auto file = dir.path() / "state";
  for (const std::string& content :
       {std::string("first"), std::string(), std::string(3'000'000, 'x')}) {
    write_file_atomically(file, content);
    EXPECT_EQ(read_file(file), content);
    EXPECT_EQ(entries(dir.path()), 1U);
  }
}

TEST(AtomicWrite, gives_the_mode_that_was_asked_for_whatever_the_umask) {
  const TempDir dir;
  for (const mode_t mode : {mode_t{0600}, mode_t{0664}}) {
    write_file_atomically(dir.path() / "f", "x", mode);
    struct stat status{};
    ASSERT_EQ(::stat((dir.path() / "f").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST(AtomicWrite, that_fails_leaves_no_temporary_file) {
  const TempDir dir;
  const auto target = dir.path() / "folder";
  std::filesystem::create_directories(target / "full");
  EXPECT_THROW(write_file_atomically(target, "x"), std::system_error);
  EXPECT_EQ(entries(dir.path()), 1U);
  EXPECT_THROW(write_file_atomically(dir.path() / "none" / "f", "x"), std::system_error);
}

TEST(ReadFile, names_what_is_missing_and_refuses_what_is_too_large) {
  const TempDir dir;
  const auto file = dir.path() / "f";
  try {
    (void)read_file(file);
    FAIL() << "must throw";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos);
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
  write_file_atomically(file, "12345");
  EXPECT_EQ(read_file(file, 5), "12345");
  EXPECT_THROW((void)read_file(file, 4), std::system_error);
}

TEST(UniqueFd, closes_once_and_moves) {
  int raw = -1;
  {
    UniqueFd first = open_file("/dev/null", {O_RDONLY});
    raw = first.get();
    EXPECT_NE(::fcntl(raw, F_GETFD) & FD_CLOEXEC, 0);
    UniqueFd second = std::move(first);
    EXPECT_EQ(second.get(), raw);
    UniqueFd third;
    EXPECT_FALSE(third);
    third = std::move(second);
    EXPECT_TRUE(third);
    EXPECT_EQ(third.get(), raw);
  }
}

TEST(TempDir, goes_with_all_it_holds) {
  std::filesystem::path path;
  {
    const TempDir dir;
    path = dir.path();
    std::filesystem::create_directories(path / "a" / "b");
    write_file_atomically(path / "a" / "b" / "c", "x");
    const TempDir other;
    EXPECT_NE(other.path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace annolog::platform::files_test
