// What was packed comes back, and what is not as it was packed is found out.
#include "workers/audit/gzip.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "platform/files.hpp"

namespace annolog::workers::testing::gzip_test {
namespace {

constexpr std::size_t kHeaderBytes = 10;  // RFC 1952, section 2.3: says nothing of what it holds
constexpr std::size_t kTrailerBytes = 8;

std::string packed(const std::string& text) {
  std::string bytes;
  GzipWriter writer([&](std::string_view piece) { bytes += piece; });
  writer.write(text);
  writer.finish();
  return bytes;
}

// Numbers, which pack badly: more than one block on either side.
std::string long_text() {
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < (1U << 20U)) text += std::to_string(random()) + "\n";
  return text;
}

class GzipTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMaxLineBytes = 100;

  std::vector<std::string> lines(const std::string& bytes, std::size_t most = SIZE_MAX) {
    const auto file = dir_.path() / "file";
    platform::write_file_atomically(file, bytes);
    std::vector<std::string> found;
    each_line(file, kMaxLineBytes, [&](std::string_view line) {
      found.emplace_back(line);
      return found.size() < most;
    });
    return found;
  }
  std::string joined(const std::string& bytes) {
    std::string text;
    for (const auto& line : lines(bytes)) text += line + "\n";
    return text;
  }

  platform::TempDir dir_;
};

TEST_F(GzipTest, what_was_packed_comes_back_whatever_its_length) {
  EXPECT_EQ(joined(packed("")), "");
  EXPECT_EQ(joined(packed("one\ntwo\n")), "one\ntwo\n");
  const std::string text = long_text();
  EXPECT_EQ(joined(packed(text)), text);
  const std::string even(5U << 16U, '\n');  // much of a little: blocks are full at the end
  EXPECT_EQ(joined(packed(even)), even);
}

TEST_F(GzipTest, the_same_bytes_give_the_same_file) {
  const std::string text = long_text();
  EXPECT_EQ(packed(text), packed(text));
  EXPECT_LT(packed(text).size(), text.size());
}

TEST_F(GzipTest, a_plain_file_is_read_as_it_is) {
  EXPECT_EQ(joined(long_text()), long_text());
  EXPECT_EQ(lines(""), std::vector<std::string>{});
  EXPECT_EQ(lines("one\n\nlast"), (std::vector<std::string>{"one", "", "last"}));
}

TEST_F(GzipTest, reading_ends_when_enough_is_had) {
  EXPECT_EQ(lines(packed("one\ntwo\nthree\n"), 2), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(lines("one\ntwo\nthree\n", 1), std::vector<std::string>{"one"});
}

TEST_F(GzipTest, a_line_above_the_limit_is_refused) {
  const std::string long_line(kMaxLineBytes + 1, 'x');
  EXPECT_THROW(lines(packed(long_line)), std::runtime_error);
  EXPECT_THROW(lines(long_line), std::runtime_error);
  EXPECT_THROW(each_line(dir_.path() / "none", kMaxLineBytes, [](auto) { return true; }),
               std::runtime_error);
}

TEST_F(GzipTest, streams_one_after_another_are_one_text) {
  EXPECT_EQ(joined(packed("one\n") + packed("two\n")), "one\ntwo\n");
}

TEST_F(GzipTest, a_flipped_byte_of_the_trailer_is_found_out) {
  const std::string sound = packed("one\ntwo\n");
  for (std::size_t i = sound.size() - kTrailerBytes; i < sound.size(); ++i) {
    std::string flipped = sound;
    flipped[i] ^= 1;
    EXPECT_THROW(lines(flipped), DamagedGzip) << i;
  }
}

TEST_F(GzipTest, no_flipped_bit_gives_another_text) {
  const std::string sound = packed("one\ntwo\nthree, four and five\n");
  for (std::size_t i = kHeaderBytes; i < sound.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = sound;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
      try {
        EXPECT_EQ(joined(flipped), joined(sound)) << i << ", bit " << bit;  // of the padding
      } catch (const std::runtime_error&) {
        continue;  // damaged, or a line too long before that is known
      }
    }
  }
}

TEST_F(GzipTest, what_is_cut_off_is_found_out) {
  const std::string sound = packed("one\ntwo\n");
  for (std::size_t length = 2; length < sound.size(); ++length)
    EXPECT_THROW(lines(sound.substr(0, length)), DamagedGzip) << length;
}

TEST_F(GzipTest, bytes_behind_the_end_are_found_out) {
  EXPECT_THROW(lines(packed("one\n") + "more"), DamagedGzip);
  EXPECT_THROW(lines(packed("one\n") + std::string(1, '\0')), DamagedGzip);
}

}  // namespace
}  // namespace annolog::workers::testing::gzip_test
