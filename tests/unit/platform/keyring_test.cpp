#include "platform/keyring.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <chrono>

#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/files.hpp"

namespace annolog::platform::keyring_test {
namespace {

TEST(Keyring, first_use_makes_keys_that_only_the_owner_may_read) {
  const TempDir dir;
  const auto folder = dir.path() / "data" / "keys";
  (void)Keyring::open(folder);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "signing.keys").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(Keyring, gives_the_same_keys_when_opened_again) {
  const TempDir dir;
  const Keyring first = Keyring::open(dir.path());
  const Keyring second = Keyring::open(dir.path());
  EXPECT_EQ(first.current(Purpose::jwt).kid, second.current(Purpose::jwt).kid);
  EXPECT_EQ(first.current(Purpose::jwt).key, second.current(Purpose::jwt).key);
  EXPECT_EQ(first.lasting(Purpose::username), second.lasting(Purpose::username));
}

TEST(Keyring, opened_at_once_by_many_gives_all_the_same_keys) {
  const TempDir dir;
  std::vector<MacKey> keys(8);
  std::vector<std::thread> threads;
  for (MacKey& key : keys) {
    threads.emplace_back([&] { key = Keyring::open(dir.path()).current(Purpose::url).key; });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::set<MacKey>(keys.begin(), keys.end()).size(), 1U);
}

TEST(Keyring, every_purpose_has_a_key_of_its_own) {
  const TempDir dir;
  const Keyring keyring = Keyring::open(dir.path());
  std::set<MacKey> keys;
  for (std::size_t i = 0; i < kPurposeCount; ++i) {
    keys.insert(keyring.current(static_cast<Purpose>(i)).key);
    keys.insert(keyring.lasting(static_cast<Purpose>(i)));
  }
  EXPECT_EQ(keys.size(), 2 * kPurposeCount);
}

TEST(Keyring, rotation_keeps_older_keys_and_never_touches_the_lasting_ones) {
  const TempDir dir;
  Keyring keyring = Keyring::open(dir.path());
  Keyring other = Keyring::open(dir.path());
  const SigningKey before = keyring.current(Purpose::jwt);
  const MacKey lasting = keyring.lasting(Purpose::username);
  const std::string kid = keyring.rotate();
  EXPECT_NE(kid, before.kid);
  EXPECT_EQ(keyring.current(Purpose::jwt).kid, kid);
  EXPECT_EQ(keyring.find(Purpose::jwt, before.kid), before.key);
  EXPECT_EQ(keyring.lasting(Purpose::username), lasting);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (other.current(Purpose::jwt).kid != kid && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_EQ(other.current(Purpose::jwt).kid, kid) << "taken up by itself";
  EXPECT_EQ(other.kids(), (std::vector{kid, before.kid}));
}

TEST(Keyring, forgets_the_oldest_key_past_the_limit) {
  const TempDir dir;
  Keyring keyring = Keyring::open(dir.path());
  const std::string first = keyring.current(Purpose::jwt).kid;
  for (std::size_t i = 1; i < Keyring::kMaxKeys; ++i) keyring.rotate();
  EXPECT_TRUE(keyring.find(Purpose::jwt, first).has_value());
  keyring.rotate();
  EXPECT_FALSE(keyring.find(Purpose::jwt, first).has_value());
}

TEST(Keyring, refuses_a_damaged_file_instead_of_making_new_keys) {
  const TempDir dir;
  (void)Keyring::open(dir.path());
  const auto file = dir.path() / "signing.keys";
  const std::string good = read_file(file);
  for (std::size_t size = 0; size < good.size(); size += 7) {
    write_file_atomically(file, good.substr(0, size));
    EXPECT_THROW((void)Keyring::open(dir.path()), std::runtime_error) << "cut at " << size;
  }
  for (const std::string& bad : {good + "x", "other 1\n" + good, std::string("\n\n\n")}) {
    write_file_atomically(file, bad);
    EXPECT_THROW((void)Keyring::open(dir.path()), std::runtime_error);
  }
}

TEST(Keyring, refuses_a_file_that_others_may_read) {
  const TempDir dir;
  (void)Keyring::open(dir.path());
  ASSERT_EQ(::chmod((dir.path() / "signing.keys").c_str(), 0640), 0);
  EXPECT_THROW((void)Keyring::open(dir.path()), std::runtime_error);
}

}  // namespace
}  // namespace annolog::platform::keyring_test
