// Members of an object as they stand in its text.
#include "domain/codec/json/raw_members.hpp"

#include <string>

#include <gtest/gtest.h>

#include "domain/codec/json/codec_error.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::codec::raw_members_test {
namespace {

std::string at(std::string_view object, std::string_view name) {
  return std::string(RawMembers(object).at(name));
}

TEST(RawMembers, gives_each_value_as_it_stands) {
  const std::string_view object =
      R"({"text":"a","null":null,"number":-1.5e9,"flag":true,"list":[1,[2],{"x":3}],"object":)"
      R"({"a":{}}})";
  EXPECT_EQ(at(object, "text"), R"("a")");
  EXPECT_EQ(at(object, "null"), "null");
  EXPECT_EQ(at(object, "number"), "-1.5e9");
  EXPECT_EQ(at(object, "flag"), "true");
  EXPECT_EQ(at(object, "list"), R"([1,[2],{"x":3}])");
  EXPECT_EQ(at(object, "object"), R"({"a":{}})");
}

TEST(RawMembers, finds_members_in_any_order) {
  RawMembers members(R"({"a":1,"b":2,"c":3})");
  EXPECT_EQ(members.at("c"), "3");
  EXPECT_EQ(members.at("b"), "2");
  EXPECT_EQ(members.at("b"), "2");
  EXPECT_EQ(members.at("a"), "1");
}

TEST(RawMembers, is_not_misled_by_what_stands_in_a_text) {
  for (const std::string text : {"", "\"", "\\", "\\\"", "a\\\\\"", "},\"b\":2", "{[,", "\n\t\x01",
                                 "\xc3\xa4\xe2\x82\xac"}) {
    std::string written;
    write_json_string(written, text);
    for (const std::string& value : {written, "[" + written + "]", "{\"n\":" + written + "}"}) {
      const std::string object = "{\"a\":" + value + ",\"b\":1}";
      RawMembers members(object);
      EXPECT_EQ(members.at("a"), value);
      EXPECT_EQ(members.at("b"), "1");
    }
  }
}

TEST(RawMembers, has_none_of_an_empty_object) { EXPECT_THROW(at("{}", "a"), CodecError); }

TEST(RawMembers, says_which_member_is_missing) {
  EXPECT_EQ(RawMembers(R"({"a":1})").find("b"), std::nullopt);
  try {
    at(R"({"a":1})", "b");
    FAIL();
  } catch (const CodecError& error) {
    EXPECT_STREQ(error.what(), "JSON: b is missing");
  }
}

TEST(RawMembers, refuses_what_is_no_object_or_has_no_end) {
  for (const std::string_view text : {"",
                                      "{",
                                      "}",
                                      "[]",
                                      "null",
                                      "1",
                                      R"("{}")",
                                      R"({"a"})",
                                      R"({"a":})",
                                      R"({"a":1,})",
                                      "{a:1}",
                                      R"({"a":1}})",
                                      R"({"a":1]})",
                                      R"({"a":"x})",
                                      R"({"a":{1})",
                                      R"({"a":[1})",
                                      R"({"a":1"b":2})",
                                      R"({"a" :1})",
                                      R"({"a\"})",
                                      R"({"a":"b""c"})",
                                      R"({"a":{}{}})",
                                      R"({"a":1:2})"}) {
    EXPECT_THROW(RawMembers{text}, CodecError) << text;
  }
}

}  // namespace
}  // namespace annolog::codec::raw_members_test
