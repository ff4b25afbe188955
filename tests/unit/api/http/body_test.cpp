// What bodies and queries are taken, and what is said of those that are not.
#include <gmock/gmock.h>

#include "api/http/json_parse.hpp"
#include "tests/unit/api/http/toy_server.hpp"

namespace annolog::http::body_test {
namespace {

using testing::HasSubstr;

TEST(HttpBody, FillsDefaultsAndTakesWholeNumbersWrittenAsReals) {
  ToyServer toy;
  const Answer answer = toy.post("/toys", R"({"name":"bär","size":5.0,"note":null})");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.header("location"), "/toys/1");
  EXPECT_EQ(
      answer.body,
      R"({"name":"bär","size":5,"serial":null,"colour":"green","shapes":[],"note":null,"at":null,)"
      R"("project_id":null})");
  EXPECT_THAT(toy.post("/toys", R"({"name":"a"})").body, testing::Not(HasSubstr("note")));
}

TEST(HttpBody, IntegersAreTakenToTheLastOne) {
  ToyServer toy;
  for (const std::string number :
       {"9223372036854775807", "-9223372036854775808", "9007199254740991.0"}) {
    const Answer answer = toy.post("/toys", R"({"name":"a","serial":)" + number + "}");
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("\"serial\":" + number.substr(0, number.find('.'))));
  }
}

struct Row {
  const char* body;
  std::vector<const char*> finds;  // in the answer's errors
};

TEST(HttpBody, EveryErrorIsFoundWithItsPlace) {
  ToyServer toy;
  const Row rows[] = {
      {"{}", {R"({"loc":["body","name"],"msg":"is required","type":"missing"})"}},
      {R"({"name":"","size":0,"colour":"blue"})",
       {R"(["body","name"],"msg":"must not be empty","type":"too_short")",
        R"(["body","size"],"msg":"must be at least 1","type":"out_of_range")",
        R"(["body","colour"],"msg":"must be one of red, green","type":"enum")"}},
      {R"({"name":"12345678901"})", {R"("type":"too_long")"}},
      {R"({"name":"ha!"})", {R"("msg":"must not shout","type":"pattern")"}},
      {R"({"name":5})", {R"("type":"string_type")"}},
      {R"({"name":"a","size":1.5})", {R"("type":"integer_type")"}},
      {R"({"name":"a","size":"1"})", {R"("type":"integer_type")"}},
      {R"({"name":"a","size":9223372036854775808})", {R"("msg":"must be at most 100")"}},
      {R"({"name":"a","size":1e300})", {R"("msg":"must be at most 100")"}},
      {R"({"name":"a","size":-1e300})", {R"("msg":"must be at least 1")"}},
      {R"({"name":"a","serial":9223372036854775808})", {R"("msg":"is too large")"}},
      {R"({"name":"a","serial":-1e19})", {R"("msg":"is too small")"}},
      {R"({"name":"a","serial":1e17})", {R"("msg":"is too large")"}},
      {R"({"name":"a","serial":-9223372036854775809})", {R"("msg":"is too small")"}},
      {R"({"name":"a","size":1e999})", {R"(["body","size"])", R"("type":"not_finite")"}},
      {R"({"name":"a","size":123456789012345678901234567890})", {R"(["body","size"])"}},
      {R"({"name":"a\u0000b"})", {R"("type":"nul_character")"}},
      {R"({"name":"a","at":"yesterday"})", {R"("type":"format")"}},
      {R"({"name":"a","project_id":0})", {R"(["body","project_id"])"}},
      {R"({"name":"a","project_id":9007199254740992})", {R"(["body","project_id"])"}},
      {R"({"name":"a","shapes":[{"type":"box"},{"type":"disc"},{}]})",
       {R"(["body","shapes",0,"x"],"msg":"is required")",
        R"(["body","shapes",1,"type"],"msg":"must be one of box, line")",
        R"(["body","shapes",2,"type"],"msg":"is required")"}},
      {R"({"name":"a","shapes":[1,2,3,4]})", {R"("type":"too_many")"}},
      {R"({"name":"taken"})", {R"(["body","name"],"msg":"is taken","type":"taken")"}},
      {"[]", {R"({"loc":["body"],"msg":"must be an object","type":"object_type"})"}},
      {"null", {R"("type":"object_type")"}},
  };
  for (const Row& row : rows) {
    const Answer answer = toy.post("/toys", row.body);
    EXPECT_EQ(answer.status, 422) << row.body;
    EXPECT_THAT(answer.body, HasSubstr(R"({"detail":{"code":"VALIDATION_ERROR","message":)"));
    for (const char* find : row.finds) EXPECT_THAT(answer.body, HasSubstr(find)) << row.body;
  }
}

TEST(HttpBody, MalformedJsonNamesLineAndColumn) {
  struct Bad {
    std::string text;
    int line;
    int column;
  };
  const Bad rows[] = {
      {"{", 1, 2},
      {"{\n  \"name\": }", 2, 11},
      {"{\"name\":\"a\"", 1, 12},
      {"{\"name\":\"a\",}", 1, 13},
      {"{'name':1}", 1, 2},
      {"{\"a\":1}x", 1, 8},
      {"{\"a\":1,\"a\":2}", 1, 8},
      {"{\"a\":01}", 1, 8},
      {"{\"a\":+1}", 1, 6},
      {"{\"a\":1.}", 1, 8},
      {"{\"a\":.5}", 1, 6},
      {"{\"a\":1e}", 1, 8},
      {"{\"a\":NaN}", 1, 6},
      {"{\"a\":\"\x01\"}", 1, 7},
      {"{\"a\":\"\xff\"}", 1, 7},
      {"{\"\xc3\xbc\":\"\xc0\xaf\"}", 1, 7},
      {"{\"a\":\"\\ud800\"}", 1, 13},
      {"{\"a\":\"\\x\"}", 1, 8},
      {"\xEF\xBB\xBF{}", 1, 1},
      {"tru", 1, 1},
  };
  ToyServer toy;
  for (const Bad& row : rows) {
    const Answer answer = toy.post("/toys", row.text);
    EXPECT_EQ(answer.status, 400) << row.text;
    EXPECT_THAT(answer.body, HasSubstr("\"code\":\"MALFORMED_JSON\"")) << row.text;
    EXPECT_THAT(answer.body, HasSubstr("\"line\":" + std::to_string(row.line) +
                                       ",\"column\":" + std::to_string(row.column) + "}"))
        << row.text;
  }
  EXPECT_EQ(toy.post("/toys", "").status, 400);
}

TEST(HttpBody, DeepNestingIsRefusedCheaply) {
  std::vector<FieldError> errors;
  const auto deep = parse_client_json(std::string(10'000'000, '['), errors);
  ASSERT_TRUE(std::holds_alternative<MalformedJson>(deep));
  EXPECT_EQ(std::get<MalformedJson>(deep).column, kMaxJsonDepth + 1);
  const std::string fits = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(std::holds_alternative<nlohmann::json>(parse_client_json(fits, errors)));
}

TEST(HttpBody, LargeOnesAreReadOnTheThreadsForThem) {
  ToyServer toy;
  const std::string blanks(100'000, ' ');
  EXPECT_EQ(toy.post("/toys", R"({"name":"a"})" + blanks).status, 201);
  const Answer wrong = toy.post("/toys", blanks + R"({"name":5})");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_THAT(wrong.body, HasSubstr(R"("loc":["body","name"])"));
  EXPECT_THAT(toy.post("/toys", blanks + "{").body, HasSubstr("line 1, column 100002"));
  toy.pool.stop(std::chrono::seconds(1));
  EXPECT_EQ(toy.post("/toys", R"({"name":"a"})" + blanks).status, 503);
  EXPECT_EQ(toy.post("/toys", R"({"name":"a"})").status, 201) << "a small one needs none";
}

TEST(HttpBody, UnknownMembersAreNamedOrRefused) {
  ToyServer toy;
  const std::string body = R"({"name":"a","extra":1,"shapes":[{"type":"box","x":1,"y":2}]})";
  const Answer lenient = toy.post("/toys", body);
  EXPECT_EQ(lenient.status, 201);
  EXPECT_EQ(lenient.header("x-ignored-fields"), "shapes[0].y, extra");
  for (const std::string preference : {"handling=strict", "wait=5, handling=\"strict\""}) {
    const Answer strict =
        toy.post("/toys", body, "Content-Type: application/json\r\nPrefer: " + preference + "\r\n");
    EXPECT_EQ(strict.status, 422) << preference;
    EXPECT_THAT(strict.body, HasSubstr("unknown_field"));
    EXPECT_THAT(strict.body, HasSubstr(R"("loc":["body","shapes",0,"y"])"));
  }
}

TEST(HttpBody, MediaTypesAreChecked) {
  ToyServer toy;
  const std::pair<const char*, int> rows[] = {
      {"Content-Type: application/json; charset=utf-8\r\n", 201},
      {"Content-Type: application/merge-patch+json\r\n", 201},
      {"", 201},
      {"Content-Type: text/plain\r\n", 415},
      {"Content-Type: application/x-www-form-urlencoded\r\n", 415},
      {"Content-Type: application/json\r\nContent-Encoding: gzip\r\n", 415}};
  for (const auto& [headers, status] : rows) {
    EXPECT_EQ(toy.post("/toys", R"({"name":"a"})", headers).status, status) << headers;
  }
}

TEST(HttpQuery, IsReadBySchema) {
  ToyServer toy;
  EXPECT_EQ(toy.get("/toys").body, R"({"limit":50,"cursor":null,"colours":[],"all":false})");
  EXPECT_EQ(toy.get("/toys?limit=7&cursor=a%2Bb+c&colours=red,green&colours=red&all=true&x=1").body,
            R"({"limit":7,"cursor":"a+b c","colours":["red","green","red"],"all":true})");
  for (const char* query : {"limit=0", "limit=201", "limit=x", "limit=1&limit=2", "limit=1.5",
                            "colours=blue", "all=maybe", "cursor=%ff", "cursor=%0", "cursor=%00"}) {
    const Answer answer = toy.get(std::string("/toys?") + query);
    EXPECT_EQ(answer.status, 422) << query;
    EXPECT_THAT(answer.body, HasSubstr("[\"query\"")) << query;
  }
}

}  // namespace
}  // namespace annolog::http::body_test
