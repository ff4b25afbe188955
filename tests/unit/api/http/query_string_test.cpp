#include "api/http/query_string.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace annolog::http::query_string_test {
namespace {

using nlohmann::json;

Schema with_lists() {
  auto text = std::make_shared<Schema>();
  text->type = Schema::Type::string;
  auto list = std::make_shared<Schema>();
  list->type = Schema::Type::array;
  list->items = text;
  auto whole = std::make_shared<Schema>(*list);
  whole->whole_items = true;
  Schema schema;
  schema.type = Schema::Type::object;
  schema.properties = {{.name = "status", .schema = list},
                       {.name = "class", .schema = whole},
                       {.name = "name", .schema = text}};
  return schema;
}

json read(std::string_view query) {
  Findings findings;
  json document = read_query(query, with_lists(), findings);
  EXPECT_TRUE(findings.errors.empty()) << query;
  return document;
}

TEST(QueryLists, come_repeated_or_with_commas) {
  EXPECT_EQ(read("status=a,b&status=c"), json::parse(R"({"status":["a","b","c"]})"));
  EXPECT_EQ(read("status="), json::parse(R"({"status":[""]})")) << "a word that nothing has";
}

TEST(QueryLists, of_whole_items_keep_their_commas) {
  EXPECT_EQ(read("class=a,b&class=c%2C%20d"), json::parse(R"({"class":["a,b","c, d"]})"));
  EXPECT_EQ(read("class="), json::parse(R"({"class":[""]})"));
}

TEST(QueryValues, that_are_no_lists_are_given_once) {
  Findings findings;
  const json document = read_query("name=a&name=b&status=c&name=a", with_lists(), findings);
  EXPECT_EQ(document, json::parse(R"({"name":"a","status":["c"]})")) << "the first";
  ASSERT_EQ(findings.errors.size(), 2U);
  EXPECT_EQ(findings.errors[0].type, "duplicate");
  EXPECT_EQ(findings.errors[0].loc, Location{"name"});
}

TEST(QueryValues, are_decoded_or_refused) {
  EXPECT_EQ(read("na%6De=a%2Bb+c%C3%A4"), json::parse(R"({"name":"a+b c\u00e4"})"));
  for (const char* broken : {"name=%", "name=%4", "name=%zz", "name=%00", "name=%ff"}) {
    Findings findings;
    EXPECT_EQ(read_query(broken, with_lists(), findings), json::object()) << broken;
    ASSERT_EQ(findings.errors.size(), 1U) << broken;
    EXPECT_EQ(findings.errors[0].type, "encoding") << broken;
  }
}

}  // namespace
}  // namespace annolog::http::query_string_test
