#include "workers/import/json_rows.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace annolog::workers::json_rows_test {
namespace {

struct Gathered final : RowSink {
  bool member(const std::string& name, const nlohmann::json& value) override {
    text += name + "=" + value.dump() + ";";
    return true;
  }
  bool row(const std::string& list, std::size_t index, nlohmann::json row) override {
    text += list + "/" + std::to_string(index) + "=" + row.dump() + ";";
    return text.size() < stop_at;
  }
  std::string text;
  std::size_t stop_at = 1 << 20;
};

std::string read(const std::string& document, const RowLimits& limits = {}) {
  std::istringstream bytes(document);
  Gathered gathered;
  const auto done = read_rows(bytes, {"a", "b"}, gathered, limits);
  return done ? gathered.text : "refused: " + done.error().message;
}

TEST(JsonRows, GivesRowsOfTheListsAndScalarsOfTheDocument) {
  EXPECT_EQ(read(R"({"v":"1.0","a":[{"x":[1,{"y":[]}]},3,[4]],"c":[{"z":1}],"b":[{}]})"),
            R"(v="1.0";a/0={"x":[1,{"y":[]}]};a/1=3;a/2=[4];b/0={};)");
}

TEST(JsonRows, RefusesWhatIsNoDocumentOfLists) {
  EXPECT_EQ(read("[1]"), "refused: The document is not a JSON object.");
  EXPECT_EQ(read("7"), "refused: The document is not a JSON object.");
  EXPECT_EQ(read(R"({"a":{}})"), "refused: The document has no list at /a.");
  EXPECT_EQ(read(R"({"a":1})"), "refused: The document has no list at /a.");
  EXPECT_TRUE(read(R"({"a":[1,)").starts_with("refused: The document is not valid JSON near"));
}

TEST(JsonRows, BoundsWhatARowCosts) {
  RowLimits limits;
  limits.depth = 4;
  EXPECT_EQ(read(R"({"a":[[[1]]]})", limits), "a/0=[[1]];");
  EXPECT_EQ(read(R"({"a":[[[[1]]]]})", limits),
            "refused: The document is nested too deeply in /a.");
  EXPECT_EQ(read(R"({"c":[[[[1]]]]})", limits),
            "refused: The document is nested too deeply in /c.");
  limits.values = 3;
  EXPECT_EQ(read(R"({"a":[[1,2],[1,2,3]]})", limits),
            "refused: The document has too many values at /a/1.");
}

TEST(JsonRows, BoundsTheTextOfARow) {
  RowLimits limits;
  limits.text_bytes = 6;
  EXPECT_EQ(read(R"({"aaaaaaaaa":"1234567","a":[{"xx":"1234"},{"xx":"1234"},"1234567"]})", limits),
            R"(aaaaaaaaa="1234567";a/0={"xx":"1234"};a/1={"xx":"1234"};a/2="1234567";)");
  EXPECT_EQ(read(R"({"a":[{},{"xx":"12345"}]})", limits),
            "refused: The document has too much text at /a/1.");
  EXPECT_EQ(read(R"({"a":[{"x":[{"yyyyyy":1}]}]})", limits),
            "refused: The document has too much text at /a/0.");
  EXPECT_EQ(read(R"({"a":[["123","123","1"]]})", limits),
            "refused: The document has too much text at /a/0.");
  EXPECT_EQ(read(R"({"c":[["123","123","1"]]})", limits), "");
}

TEST(JsonRows, RefusesATokenThatWouldFillTheMemory) {
  const auto told = read(R"({"c":")" + std::string(4 << 20, 'x') + R"("})");
  EXPECT_TRUE(told.starts_with("refused: The document holds a text, a number or blanks too long"))
      << told;
}

TEST(JsonRows, EndsWhenTheSinkSays) {
  std::istringstream bytes(R"({"a":[1,2,3]})");
  Gathered gathered;
  gathered.stop_at = 1;
  EXPECT_TRUE(read_rows(bytes, {"a"}, gathered).has_value());
  EXPECT_EQ(gathered.text, "a/0=1;");
}

}  // namespace
}  // namespace annolog::workers::json_rows_test
