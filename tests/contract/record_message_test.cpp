// Records as messages: what every reader of the topic is told, and the form of its times.
#include "eventstore/kafka/record_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/contract/chained_records.hpp"

namespace annolog::eventstore::kafka::record_message_test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

struct Moment {
  std::int64_t ms;
  std::string text;
};
const std::vector<Moment> kMoments{{0, "1970-01-01T00:00:00.000Z"},
                                   {1, "1970-01-01T00:00:00.001Z"},
                                   {-1, "1969-12-31T23:59:59.999Z"},
                                   {-1'000, "1969-12-31T23:59:59.000Z"},
                                   {-86'400'000, "1969-12-31T00:00:00.000Z"},
                                   {1'795'248'000'123, "2026-11-21T08:00:00.123Z"},
                                   {951'782'400'000, "2000-02-29T00:00:00.000Z"},
                                   {951'868'799'999, "2000-02-29T23:59:59.999Z"},
                                   {951'868'800'000, "2000-03-01T00:00:00.000Z"},
                                   {1'709'164'800'000, "2024-02-29T00:00:00.000Z"},
                                   {-2'203'891'200'000, "1900-03-01T00:00:00.000Z"},
                                   {-2'203'891'200'001, "1900-02-28T23:59:59.999Z"},
                                   {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
                                   {-62'135'596'800'000, "0001-01-01T00:00:00.000Z"},
                                   {-62'167'219'200'000, "0000-01-01T00:00:00.000Z"}};

TEST(RecordTime, moments_have_one_text_each) {
  for (const auto& [ms, text] : kMoments) {
    EXPECT_EQ(to_rfc3339(ms), text);
    EXPECT_EQ(from_rfc3339(text), ms) << text;
  }
}

TEST(RecordTime, every_day_of_four_centuries_comes_back) {
  for (std::int64_t day = -100'000; day < 100'000; day += 7) {
    const std::int64_t ms = day * 86'400'000 + (day * 7'919'131 % 86'400'000);
    ASSERT_EQ(from_rfc3339(to_rfc3339(ms)), ms);
  }
}

TEST(RecordTime, years_of_other_than_four_digits_are_an_error) {
  for (const std::int64_t ms : {253'402'300'800'000, -62'167'219'200'001})
    EXPECT_THROW(to_rfc3339(ms), std::invalid_argument) << ms;
}

// Years are counted in 16 bits somewhere below: 2^51 ms was written as a time of the year 7790.
TEST(RecordTime, no_time_far_away_is_taken_for_a_near_one) {
  for (int power = 48; power < 63; ++power)
    for (const std::int64_t sign : {1, -1})
      EXPECT_THROW(to_rfc3339(sign * (std::int64_t{1} << power)), std::invalid_argument) << power;
  EXPECT_THROW(to_rfc3339(std::numeric_limits<std::int64_t>::max()), std::invalid_argument);
  EXPECT_THROW(to_rfc3339(std::numeric_limits<std::int64_t>::min()), std::invalid_argument);
}

TEST(RecordTime, dates_that_are_none_are_refused) {
  for (const std::string text :
       {"2023-02-29T00:00:00.000Z", "1900-02-29T00:00:00.000Z", "2024-02-30T00:00:00.000Z",
        "2024-04-31T00:00:00.000Z", "2024-00-01T00:00:00.000Z", "2024-13-01T00:00:00.000Z",
        "2024-01-00T00:00:00.000Z", "2024-01-32T00:00:00.000Z", "2024-01-01T24:00:00.000Z",
        "2024-01-01T00:60:00.000Z", "2024-01-01T00:00:60.000Z", "2024-12-31T23:59:60.000Z"})
    EXPECT_EQ(from_rfc3339(text), std::nullopt) << text;
}

TEST(RecordTime, other_forms_are_refused) {
  for (const std::string text : {"",
                                 "Z",
                                 "2024-01-01",
                                 "2024-01-01T00:00:00Z",
                                 "2024-01-01T00:00:00.00Z",
                                 "2024-01-01T00:00:00.0000Z",
                                 "2024-01-01T00:00:00.000",
                                 "2024-01-01T00:00:00.000z",
                                 "2024-01-01t00:00:00.000Z",
                                 "2024-01-01 00:00:00.000Z",
                                 "2024-01-01T00:00:00,000Z",
                                 "2024-01-01T00:00:00.000+00:00",
                                 " 2024-01-01T00:00:00.000Z",
                                 "2024-01-01T00:00:00.000Z ",
                                 "+024-01-01T00:00:00.000Z",
                                 "-024-01-01T00:00:00.000Z",
                                 "2024-1 -01T00:00:00.000Z",
                                 "2024/01/01T00:00:00.000Z",
                                 "2O24-01-01T00:00:00.000Z",
                                 "12024-01-01T00:00:00.000Z"})
    EXPECT_EQ(from_rfc3339(text), std::nullopt) << text;
  EXPECT_EQ(from_rfc3339(std::string_view("2024-01-01T00:00:00.00\0Z", 24)), std::nullopt);
}

std::multimap<std::string, std::string> headers_of(const Message& message) {
  std::multimap<std::string, std::string> headers;
  for (const auto& [name, value] : message.headers) headers.emplace(name, value);
  return headers;
}

Record full_record() {
  Record record = chained_records(ShardId{7}, {Offset{41}, {}}, 1, R"({"a": 1})")[0];
  record.headers = {.id = "7-42",
                    .type = "task.submitted",
                    .schema_version = 3,
                    .subject = "task/4161",
                    .time_ms = 1'795'248'000'123,
                    .actor = "user/7",
                    .request_id = "r-1",
                    .causation_id = "c-1",
                    .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                    .idempotency = R"({"key":"k"})"};
  record.chain.fill(0xAB);
  record.last_of_command = false;
  return record;
}

TEST(RecordMessage, has_every_attribute_of_its_event) {
  const Record record = full_record();
  const Message message = to_message(record, "t.events", {"/annolog/log-1", "writer-3"});
  EXPECT_EQ(message.topic, "t.events");
  EXPECT_EQ(message.partition, 7);
  EXPECT_EQ(message.key, "shard/7");
  EXPECT_EQ(message.value, record.data);
  EXPECT_EQ(message.time_ms, record.headers.time_ms);
  std::string chain;
  for (int i = 0; i < 32; ++i) chain += "ab";
  EXPECT_THAT(headers_of(message),
              UnorderedElementsAre(
                  Pair("content-type", "application/json"), Pair("ce_specversion", "1.0"),
                  Pair("ce_source", "/annolog/log-1"), Pair("ce_id", "7-42"),
                  Pair("ce_type", "task.submitted"), Pair("ce_subject", "task/4161"),
                  Pair("ce_time", "2026-11-21T08:00:00.123Z"), Pair("ce_schemaversion", "3"),
                  Pair("ce_chain", chain), Pair("ce_commandcontinues", "true"),
                  Pair("ce_actor", "user/7"), Pair("ce_requestid", "r-1"),
                  Pair("ce_causationid", "c-1"), Pair("ce_traceparent", record.headers.traceparent),
                  Pair("ce_idempotency", R"({"key":"k"})"), Pair("annolog-writer", "writer-3")));
}

TEST(RecordMessage, leaves_out_what_is_empty_or_goes_without_saying) {
  Record record = full_record();
  record.headers = {};
  record.headers.id = "7-42";
  record.headers.type = "task.submitted";
  record.last_of_command = true;
  const auto headers = headers_of(to_message(record, "t.events", {"/s", ""}));
  for (const char* name : {"ce_subject", "ce_actor", "ce_requestid", "ce_causationid",
                           "ce_traceparent", "ce_idempotency", "ce_commandcontinues",
                           "ce_schemaversion", "ce_sequence", "annolog-writer"})
    EXPECT_EQ(headers.count(name), 0U) << name;
  EXPECT_EQ(headers.find("ce_time")->second, "1970-01-01T00:00:00.000Z");
}

TEST(RecordMessage, says_its_place_when_its_id_does_not) {
  Record record = full_record();
  for (const char* id : {"7-41", "7-042", "8-42", "07-42", "7-42-", "7-+42", "42", ""}) {
    record.headers.id = id;
    const auto headers = headers_of(to_message(record, "t.events", {"/s", "w"}));
    ASSERT_EQ(headers.count("ce_sequence"), 1U) << id;
    EXPECT_EQ(headers.find("ce_sequence")->second, "42");
  }
}

TEST(RecordMessage, the_first_of_each_shard_says_who_writes) {
  std::vector<Record> records(5, full_record());
  records[2].position.shard = records[4].position.shard = ShardId{3};
  std::vector<Message> messages;
  add_messages(records, "t.events", {"/s", "w-1"}, messages);
  std::vector<std::size_t> said;
  for (const Message& message : messages)
    said.push_back(headers_of(message).count("annolog-writer"));
  EXPECT_THAT(said, ElementsAre(1, 0, 1, 0, 0));
  EXPECT_EQ(headers_of(messages[2]).find("annolog-writer")->second, "w-1");
  EXPECT_EQ(messages[4].partition, 3);
}

TEST(RecordMessage, names_of_attributes_are_what_cloud_events_allows) {
  for (const auto& [name, value] : to_message(full_record(), "t", {"/s", "w"}).headers) {
    if (!name.starts_with("ce_")) continue;
    EXPECT_EQ(name.substr(3).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"),
              std::string_view::npos)
        << name;
    EXPECT_LE(name.size() - 3, 20U) << name;
  }
}

TEST(RecordMessage, times_before_1970_are_told_by_the_attribute_alone) {
  Record record = full_record();
  record.headers.time_ms = -1;
  const Message message = to_message(record, "t", {"/s", "w"});
  EXPECT_EQ(message.time_ms, 0);
  EXPECT_EQ(headers_of(message).find("ce_time")->second, "1969-12-31T23:59:59.999Z");
}

TEST(RecordMessage, any_bytes_are_its_value) {
  Record record = full_record();
  record.data = std::string("\0\xFF\n", 3);
  EXPECT_EQ(to_message(record, "t", {"/s", "w"}).value, record.data);
  record.data.clear();
  const Message empty = to_message(record, "t", {"/s", "w"});
  ASSERT_TRUE(empty.value) << "an empty value is no tombstone";
  EXPECT_EQ(*empty.value, "");
}

}  // namespace
}  // namespace annolog::eventstore::kafka::record_message_test
