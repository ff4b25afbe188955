// The bytes of a record: fixed for ever by a golden file, and nothing else is accepted.
#include "eventstore/record_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "eventstore/chain.hpp"

namespace annolog::eventstore::record_codec_test {
namespace {

const RecordHeaders kHeaders{
    .id = "01920000-0000-7000-8000-000000000001",
    .type = "task.submitted",
    .schema_version = 3,
    .subject = "task/4161",
    .time_ms = 1'769'846'400'123,
    .actor = "user/7",
    .request_id = "req-1",
    .causation_id = "",
    .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    .idempotency = "k1"};
constexpr std::string_view kData = R"({"task_id":4161,"note":"é"})";

std::string encoded(const RecordHeaders& headers, std::string_view data, bool last) {
  std::string bytes;
  encode_record(headers, data, last, bytes);
  return bytes;
}

TEST(RecordCodec, the_encoding_is_that_of_the_golden_file) {
  const std::string path = std::string(ANNOLOG_SOURCE_DIR) + "/tests/golden/log/record.v1.hex";
  const std::string hex = to_hex(encoded(kHeaders, kData, true));
  if (std::getenv("ANNOLOG_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << hex << '\n';
  std::string golden;
  std::ifstream(path) >> golden;
  EXPECT_EQ(hex, golden);
}

TEST(RecordCodec, what_is_encoded_is_decoded) {
  for (const std::int64_t time_ms :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    RecordHeaders headers = kHeaders;
    headers.time_ms = time_ms;
    headers.schema_version = std::numeric_limits<int>::max();
    const auto decoded = decode_record(encoded(headers, std::string(70'000, 'x'), false));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->headers, headers);
    EXPECT_EQ(decoded->data, std::string(70'000, 'x'));
    EXPECT_FALSE(decoded->last_of_command);
  }
}

TEST(RecordCodec, no_shorter_or_longer_bytes_are_a_record) {
  const std::string whole = encoded(kHeaders, kData, true);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_record(std::string_view(whole).substr(0, size)).has_value()) << size;
  EXPECT_FALSE(decode_record(whole + '\0').has_value());
}

TEST(RecordCodec, unknown_format_flags_and_long_numbers_are_refused) {
  std::string bytes = encoded(kHeaders, kData, true);
  bytes[0] = 2;
  EXPECT_FALSE(decode_record(bytes).has_value());
  bytes[0] = 1;
  bytes[1] = 3;
  EXPECT_FALSE(decode_record(bytes).has_value());
  // 3 as two bytes: the same number, another encoding.
  bytes = encoded(kHeaders, kData, true);
  bytes.replace(2, 1, "\x83\x00", 2);
  EXPECT_FALSE(decode_record(bytes).has_value());
  EXPECT_FALSE(decode_record("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").has_value());
}

TEST(RecordCodec, a_schema_version_is_one_or_more) {
  RecordHeaders headers = kHeaders;
  headers.schema_version = 0;
  EXPECT_THROW(encoded(headers, kData, true), std::invalid_argument);
}

}  // namespace
}  // namespace annolog::eventstore::record_codec_test
