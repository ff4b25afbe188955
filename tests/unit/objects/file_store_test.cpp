#include "platform/objects/file_store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace annolog::platform::file_store_test {
namespace {

namespace fs = std::filesystem;

ObjectKey key(std::string_view text) { return ObjectKey::parse(text).value(); }
auto bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class FileStoreTest : public testing::Test {
 protected:
  FileStoreTest() {
    std::string pattern = (fs::temp_directory_path() / "annolog-objects-XXXXXX").string();
    base_ = ::mkdtemp(pattern.data());
    root_ = base_ / "root";
  }
  ~FileStoreTest() override {
    std::error_code ignored;
    fs::remove_all(base_, ignored);
  }

  static void put(ObjectStore& store, std::string_view name, std::string_view contents) {
    auto writer = store.begin_write(key(name), {});
    ASSERT_TRUE(writer.has_value()) << writer.error().message;
    ASSERT_TRUE(writer.value()->write(bytes(contents)).has_value());
    ASSERT_TRUE(writer.value()->commit().has_value());
  }

  static std::string read_all(ObjectReader& reader) {
    std::string text(static_cast<std::size_t>(reader.size_bytes()), '\0');
    text.resize(reader.read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }

  std::size_t files_below_partial() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_ / ".partial"), fs::directory_iterator{}));
  }

  static std::string code_of_write(ObjectStore& store, std::string_view name) {
    auto writer = store.begin_write(key(name), {});
    if (!writer) return writer.error().code;
    const auto done = writer.value()->commit();
    return done ? "" : done.error().code;
  }

  fs::path base_;
  fs::path root_;
};

TEST_F(FileStoreTest, what_was_written_in_pieces_is_read_back) {
  FileStore store(root_);
  auto writer = store.begin_write(key("a/b/c.txt"), {}).value();
  ASSERT_TRUE(writer->write(bytes("hello ")).has_value());
  EXPECT_EQ(writer->written().size_bytes, 6u);
  ASSERT_TRUE(writer->write({}).has_value());
  ASSERT_TRUE(writer->write(bytes("world")).has_value());
  const auto written = writer->commit();
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written.value().size_bytes, 11u);
  EXPECT_EQ(written.value().md5_hex, "5eb63bbbe01eeed093cb22bb8f5acdc3");

  EXPECT_EQ(store.stat(key("a/b/c.txt")).value().size_bytes, 11u);
  auto reader = store.open_read(key("a/b/c.txt")).value();
  EXPECT_EQ(read_all(*reader), "hello world");
  EXPECT_EQ(files_below_partial(), 0u);
}

TEST_F(FileStoreTest, reads_are_bounded_by_the_object) {
  FileStore store(root_);
  put(store, "a", "0123456789");
  auto reader = store.open_read(key("a")).value();
  std::string into(4, '.');
  const auto span = std::as_writable_bytes(std::span(into));
  EXPECT_EQ(reader->read_at(3, span), 4u);
  EXPECT_EQ(into, "3456");
  EXPECT_EQ(reader->read_at(8, span), 2u);
  EXPECT_EQ(into.substr(0, 2), "89");
  EXPECT_EQ(reader->read_at(10, span), 0u);
  EXPECT_EQ(reader->read_at(~std::uint64_t{0}, span), 0u);
}

TEST_F(FileStoreTest, nothing_shows_before_the_commit_and_nothing_stays_without_one) {
  FileStore store(root_);
  {
    auto writer = store.begin_write(key("a"), {}).value();
    ASSERT_TRUE(writer->write(bytes("x")).has_value());
    EXPECT_EQ(store.stat(key("a")).error().code, "NOT_FOUND");
    EXPECT_EQ(files_below_partial(), 1u);
  }
  EXPECT_EQ(files_below_partial(), 0u);
  EXPECT_EQ(store.stat(key("a")).error().code, "NOT_FOUND");
}

TEST_F(FileStoreTest, a_second_commit_replaces_and_open_readers_keep_the_old_bytes) {
  FileStore store(root_);
  put(store, "a", "old");
  auto reader = store.open_read(key("a")).value();
  put(store, "a", "newer");
  EXPECT_EQ(read_all(*reader), "old");
  EXPECT_EQ(read_all(*store.open_read(key("a")).value()), "newer");
}

TEST_F(FileStoreTest, more_than_allowed_is_refused) {
  FileStore store(root_);
  auto writer = store.begin_write(key("a"), {.max_bytes = 5}).value();
  EXPECT_TRUE(writer->write(bytes("12345")).has_value());
  EXPECT_EQ(writer->write(bytes("6")).error().code, "OBJECT_TOO_LARGE");
}

TEST_F(FileStoreTest, remove_tells_whether_there_was_something) {
  FileStore store(root_);
  put(store, "a/b", "x");
  EXPECT_TRUE(store.remove(key("a/b")).value());
  EXPECT_FALSE(store.remove(key("a/b")).value());
  EXPECT_FALSE(store.remove(key("a")).value());
  EXPECT_FALSE(store.remove(key("none/at/all")).value());
}

TEST_F(FileStoreTest, keys_that_run_into_each_other_are_conflicts) {
  FileStore store(root_);
  put(store, "a/b", "x");
  EXPECT_EQ(code_of_write(store, "a"), "OBJECT_KEY_CONFLICT");
  EXPECT_EQ(code_of_write(store, "a/b/c"), "OBJECT_KEY_CONFLICT");
  EXPECT_EQ(store.stat(key("a")).error().code, "NOT_FOUND");
  EXPECT_EQ(store.stat(key("a/b/c")).error().code, "NOT_FOUND");
  EXPECT_EQ(store.open_read(key("a")).error().code, "NOT_FOUND");
  EXPECT_EQ(store.open_read(key("a/b/c")).error().code, "NOT_FOUND");
}

TEST_F(FileStoreTest, a_conflict_that_arises_during_the_upload_is_refused_at_commit) {
  FileStore store(root_);
  auto writer = store.begin_write(key("a/b"), {}).value();
  put(store, "a", "x");
  EXPECT_EQ(writer->commit().error().code, "OBJECT_KEY_CONFLICT");
  writer.reset();
  EXPECT_EQ(files_below_partial(), 0u);
}

TEST_F(FileStoreTest, the_place_of_unfinished_uploads_is_no_key) {
  FileStore store(root_);
  auto writer = store.begin_write(key("a"), {}).value();
  EXPECT_EQ(code_of_write(store, ".partial"), "INVALID_OBJECT_KEY");
  EXPECT_EQ(code_of_write(store, ".partial/x"), "INVALID_OBJECT_KEY");
  EXPECT_EQ(store.open_read(key(".partial/x")).error().code, "INVALID_OBJECT_KEY");
}

TEST_F(FileStoreTest, symbolic_links_lead_nowhere) {
  FileStore store(root_);
  fs::create_directories(base_ / "outside");
  std::ofstream(base_ / "outside" / "secret") << "secret";
  fs::create_directory_symlink(base_ / "outside", root_ / "folder");
  fs::create_symlink(base_ / "outside" / "secret", root_ / "file");
  fs::create_symlink("../outside/secret", root_ / "relative");
  fs::create_symlink("nowhere", root_ / "dangling");

  EXPECT_EQ(store.open_read(key("folder/secret")).error().code, "INVALID_OBJECT_KEY");
  EXPECT_EQ(store.stat(key("folder/secret")).error().code, "INVALID_OBJECT_KEY");
  EXPECT_EQ(store.remove(key("folder/secret")).error().code, "INVALID_OBJECT_KEY");
  EXPECT_EQ(code_of_write(store, "folder/new"), "INVALID_OBJECT_KEY");
  EXPECT_EQ(code_of_write(store, "folder/deep/new"), "INVALID_OBJECT_KEY");
  for (const char* link : {"file", "relative", "dangling"}) {
    EXPECT_EQ(store.open_read(key(link)).error().code, "INVALID_OBJECT_KEY") << link;
    EXPECT_EQ(store.stat(key(link)).error().code, "INVALID_OBJECT_KEY") << link;
  }
  // Writing puts an object in the link's place and leaves its target alone.
  put(store, "file", "mine");
  EXPECT_EQ(read_all(*store.open_read(key("file")).value()), "mine");
  std::ifstream secret(base_ / "outside" / "secret");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(secret), {}), "secret");
  EXPECT_FALSE(fs::exists(base_ / "outside" / "new"));
  EXPECT_FALSE(fs::exists(base_ / "outside" / "deep"));
}

TEST_F(FileStoreTest, a_pipe_is_no_object_and_does_not_block) {
  FileStore store(root_);
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(store.open_read(key("pipe")).error().code, "NOT_FOUND");
  EXPECT_EQ(store.stat(key("pipe")).error().code, "NOT_FOUND");
}

// A file size limit stands in for the full disk: the write stops half way.
TEST_F(FileStoreTest, without_room_a_write_is_refused_and_leaves_nothing) {
  FileStore store(root_);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto writer = store.begin_write(key("a"), {}).value();
  const auto refused = writer->write(bytes(std::string(2000, 'x')));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "NO_SPACE");
  EXPECT_EQ(refused.error().kind, DomainError::Kind::unavailable);
  EXPECT_GT(refused.error().retry_after_s, 0);
  writer.reset();
  EXPECT_EQ(files_below_partial(), 0u);
  EXPECT_EQ(store.stat(key("a")).error().code, "NOT_FOUND");
}

TEST_F(FileStoreTest, opening_clears_old_leftovers_but_no_upload_in_hand) {
  FileStore store(root_);
  std::ofstream(root_ / ".partial" / "dead") << "x";
  std::ofstream(root_ / ".partial" / "young") << "x";
  auto writer = store.begin_write(key("a"), {}).value();
  ASSERT_TRUE(writer->write(bytes("alive")).has_value());
  for (const auto& entry : fs::directory_iterator(root_ / ".partial"))
    if (entry.path().filename() != "young")
      fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(2));

  const FileStore second(root_);
  EXPECT_FALSE(fs::exists(root_ / ".partial" / "dead"));
  EXPECT_TRUE(fs::exists(root_ / ".partial" / "young"));
  EXPECT_TRUE(writer->commit().has_value());
  EXPECT_EQ(read_all(*store.open_read(key("a")).value()), "alive");
}

TEST_F(FileStoreTest, a_writer_outlives_its_store) {
  auto store = std::make_unique<FileStore>(root_);
  auto writer = store->begin_write(key("a/b"), {}).value();
  store.reset();
  ASSERT_TRUE(writer->write(bytes("x")).has_value());
  EXPECT_TRUE(writer->commit().has_value());
  EXPECT_TRUE(fs::exists(root_ / "a" / "b"));
}

TEST_F(FileStoreTest, a_root_that_can_not_be_used_is_named) {
  fs::create_directories(base_);
  std::ofstream(base_ / "file") << "x";
  EXPECT_THROW(FileStore(base_ / "file" / "root"), std::system_error);
}

TEST_F(FileStoreTest, a_sealed_object_keeps_its_bytes_until_it_is_opened_again) {
  FileStore store(root_);
  put(store, "a/b.txt", "checked");
  auto begun_before = store.begin_write(key("a/b.txt"), {}).value();
  ASSERT_TRUE(store.set_sealed(key("a/b.txt"), true).has_value());
  EXPECT_EQ(begun_before->commit().error().code, "OBJECT_SEALED");
  EXPECT_EQ(code_of_write(store, "a/b.txt"), "OBJECT_SEALED");
  FileStore after_restart(root_);
  EXPECT_EQ(code_of_write(after_restart, "a/b.txt"), "OBJECT_SEALED");
  EXPECT_EQ(read_all(*store.open_read(key("a/b.txt")).value()), "checked");
  ASSERT_TRUE(store.set_sealed(key("a/b.txt"), false).has_value());
  put(store, "a/b.txt", "better");
  EXPECT_EQ(read_all(*store.open_read(key("a/b.txt")).value()), "better");
}

TEST_F(FileStoreTest, only_an_object_can_be_sealed) {
  FileStore store(root_);
  put(store, "a/b.txt", "x");
  for (const char* name : {"none.txt", "a", "a/b.txt/c"}) {
    EXPECT_EQ(store.set_sealed(key(name), true).error().code, "NOT_FOUND") << name;
  }
}

TEST_F(FileStoreTest, all_below_a_key_is_removed_with_its_folders) {
  FileStore store(root_);
  for (const char* name : {"a/1/x.png", "a/1/deep/er/y.png", "a/2/z.png", "ab/keep.png"})
    put(store, name, "bytes");
  ASSERT_TRUE(store.set_sealed(key("a/2/z.png"), true).has_value());
  const auto never = [] { return false; };
  EXPECT_TRUE(store.remove_all(key("a"), never).value());
  EXPECT_FALSE(fs::exists(root_ / "a"));
  EXPECT_TRUE(fs::exists(root_ / "ab/keep.png"));
  EXPECT_TRUE(store.remove_all(key("a"), never).value()) << "nothing there is no error";
  EXPECT_TRUE(store.remove_all(key("none/at/all"), never).value());
  EXPECT_TRUE(store.remove_all(key("ab/keep.png"), never).value()) << "one object";
  EXPECT_FALSE(fs::exists(root_ / "ab/keep.png"));
}

TEST_F(FileStoreTest, a_removal_stops_when_told_and_goes_on_later) {
  FileStore store(root_);
  for (int i = 0; i < 10; ++i) put(store, "a/" + std::to_string(i), "bytes");
  int asked = 0;
  EXPECT_FALSE(store.remove_all(key("a"), [&] { return ++asked > 4; }).value());
  EXPECT_TRUE(fs::exists(root_ / "a"));
  EXPECT_TRUE(store.remove_all(key("a"), [] { return false; }).value());
  EXPECT_FALSE(fs::exists(root_ / "a"));
}

TEST_F(FileStoreTest, a_removal_follows_no_symbolic_link) {
  FileStore store(root_);
  put(store, "a/x.png", "bytes");
  fs::create_directories(base_ / "outside");
  std::ofstream(base_ / "outside/file") << "stays";
  fs::create_directory_symlink(base_ / "outside", root_ / "a/link");
  fs::create_directory_symlink(base_ / "outside", root_ / "b");
  const auto never = [] { return false; };
  EXPECT_TRUE(store.remove_all(key("a"), never).value());
  static_cast<void>(store.remove_all(key("b"), never));
  EXPECT_TRUE(fs::exists(base_ / "outside/file"));
}

}  // namespace
}  // namespace annolog::platform::file_store_test
