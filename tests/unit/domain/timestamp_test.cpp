#include "domain/support/timestamp.hpp"

#include <gtest/gtest.h>

namespace annolog::timestamp_test {
namespace {

TEST(Timestamp, reads_offsets_and_fractions) {
  EXPECT_EQ(from_rfc3339("1970-01-01T00:00:00Z"), Timestamp{0});
  EXPECT_EQ(from_rfc3339("1970-01-01t01:00:01.5678+01:00"), Timestamp{1'567});
  EXPECT_FALSE(from_rfc3339("1970-02-30T00:00:00Z"));
}

TEST(Timestamp, what_is_read_can_be_written_and_read_again) {
  for (const char* text : {"0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}) {
    const auto at = from_rfc3339(text);
    ASSERT_TRUE(at) << text;
    EXPECT_EQ(to_rfc3339(*at), text);
  }
  for (const char* text :
       {"0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z"}) {
    EXPECT_FALSE(from_rfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace annolog::timestamp_test
