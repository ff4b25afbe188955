// Values are the same whether simdjson's tape or a tree of nlohmann/json holds them.
#include "domain/codec/json/json_value.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "domain/codec/json/codec_error.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::codec {

class JsonValueOf : public ::testing::TestWithParam<const char*> {};

void expect_same(const JsonValue& value, const JsonValue& other) {
  EXPECT_EQ(value.is_null(), other.is_null());
  EXPECT_EQ(value.is_boolean(), other.is_boolean());
  EXPECT_EQ(value.is_integer(), other.is_integer());
  EXPECT_EQ(value.is_number(), other.is_number());
  EXPECT_EQ(value.is_string(), other.is_string());
  EXPECT_EQ(value.is_array(), other.is_array());
  EXPECT_EQ(value.is_object(), other.is_object());
  EXPECT_EQ(value.as_bool(), other.as_bool());
  EXPECT_EQ(value.as_int64(), other.as_int64());
  EXPECT_EQ(value.as_uint64(), other.as_uint64());
  EXPECT_EQ(value.as_double(), other.as_double());
  EXPECT_EQ(value.as_string(), other.as_string());
  EXPECT_EQ(value.canonical_text(), other.canonical_text());
  EXPECT_EQ(value.member("a").has_value(), other.member("a").has_value());
  const auto elements = value.elements();
  const auto others = other.elements();
  ASSERT_EQ(elements.size(), others.size());
  for (std::size_t i = 0; i < elements.size(); ++i) expect_same(elements[i], others[i]);
  const auto members = value.members();
  ASSERT_EQ(members.size(), other.members().size());
  for (const auto& [name, inner] : members) {
    const auto found = other.member(name);
    ASSERT_TRUE(found) << name;
    expect_same(inner, *found);
  }
}

TEST_P(JsonValueOf, ATapeAndATreeAreTheSame) {
  const JsonDocument document(GetParam());
  const auto tree = nlohmann::json::parse(GetParam());
  expect_same(document.root(), tree);
  EXPECT_EQ(document.root().canonical_text(), tree.dump());
}

INSTANTIATE_TEST_SUITE_P(
    Json, JsonValueOf,
    ::testing::Values("null", "true", "false", "0", "7", "-7", "9223372036854775807",
                      "-9223372036854775808", "9223372036854775808", "18446744073709551615",
                      "18446744073709551616", "-9223372036854775809", "1.0", "-0.0", "1e5",
                      "1.5e-300", "0.1", "1.7976931348623157e308", R"("")",
                      R"("a\"\\\n\u00e9\ud83d\ude00\u0000b")", "\"grün 猫\"", "[]", "{}",
                      " [ 1 , [2, {\"a\": []}] , null ] ",
                      R"({"b":1,"a":{"a":[true,"x",1.25]},"":0})", "[[],[[]],{}]",
                      R"({"a":18446744073709551616,"b":[7]})"));

TEST(JsonDocument, SaysWhatIsWrongWithMalformedText) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "nul", "01", "1.", "\"\x01\"",
                           "\"\xff\"", "{} {}", "\"\\ud800\"", "[1 2]", "1e999"}) {
    try {
      const JsonDocument document(text);
      ADD_FAILURE() << text;
    } catch (const CodecError& error) {
      EXPECT_NE(std::string(error.what()).find("json.exception"), std::string::npos)
          << error.what();
    }
  }
}

TEST(JsonDocument, ANullTextIsMalformedToo) {
  EXPECT_THROW(JsonDocument{std::string_view{}}, CodecError);
}

TEST(JsonDocument, ReadsWhatIsDeeperThanItsParserGoes) {
  constexpr std::size_t kDepth = 3000;
  const std::string text = std::string(kDepth, '[') + std::string(kDepth, ']');
  const JsonDocument document(text);
  JsonValue value = document.root();
  std::size_t depth = 1;
  for (; !value.elements().empty(); ++depth) value = value.elements().front();
  EXPECT_EQ(depth, kDepth);
}

TEST(JsonDocument, ManyAreOpenAtOnce) {
  const JsonDocument outer(R"({"a":"outer","b":[1,2]})");
  std::vector<std::unique_ptr<JsonDocument>> inner;
  for (int i = 0; i < 20; ++i)
    inner.push_back(std::make_unique<JsonDocument>("[" + std::to_string(i) + "]"));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(inner[static_cast<std::size_t>(i)]->root().elements().front().as_int64(), i);
  EXPECT_EQ(outer.root().member("a")->as_string(), "outer");
}

TEST(JsonDocument, IsReadAfterALargeOneAndAfterAMalformedOne) {
  for (int i = 0; i < 3; ++i) {
    const std::string large = "[\"" + std::string(1 << 20, 'x') + "\"]";
    EXPECT_EQ(JsonDocument(large).root().elements().front().as_string()->size(), 1U << 20);
    EXPECT_THROW(JsonDocument("[1"), CodecError);
    EXPECT_EQ(JsonDocument("[18446744073709551616]").root().elements().size(), 1U);
    EXPECT_EQ(JsonDocument("7").root().as_int64(), 7);
  }
}

TEST(JsonDocument, ReadsEveryDoubleThatTheWriterWrites) {
  for (const double number :
       {0.1, -0.0, 1e20, 18446744073709551616.0, 123456789012345680000.0, 5e-324,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::min(), 1.0 / 3}) {
    const auto text = to_json_text(number);
    const JsonDocument document(text);
    EXPECT_EQ(document.root().as_double(), number) << text;
  }
}

TEST(JsonMembers, AreFoundInAnyOrder) {
  const JsonDocument document(R"({"a":1,"b":2,"c":3})");
  JsonMembers members(document.root());
  for (const auto& [name, number] : {std::pair("a", 1), {"c", 3}, {"b", 2}, {"b", 2}, {"a", 1}}) {
    const JsonValue* found = members.find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->as_int64(), number);
  }
  EXPECT_EQ(members.find("d"), nullptr);
  EXPECT_EQ(members.find("a")->as_int64(), 1);
}

TEST(JsonMembers, OfWhatIsNoObjectAreNone) {
  for (const char* text : {"null", "[1]", "\"a\"", "{}"}) {
    const JsonDocument document(text);
    EXPECT_EQ(JsonMembers(document.root()).find("a"), nullptr) << text;
  }
}

}  // namespace annolog::codec
