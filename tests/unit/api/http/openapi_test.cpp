// The OpenAPI document says what the tables say.
#include <gmock/gmock.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "api/http/openapi.hpp"
#include "tests/unit/api/http/toy_server.hpp"

namespace annolog::http::openapi_test {
namespace {

using nlohmann::json;

class OpenApi : public testing::Test {
 protected:
  ToySigns signs_;
  platform::ThreadPool pool_{{.name = "toy"}};
  RouteTable routes_ = toy_routes(signs_, pool_);
  json document_ = json::parse(openapi_document(routes_, {.title = "toys", .version = "1"}));
};

TEST_F(OpenApi, HasEveryOperation) {
  EXPECT_EQ(document_["openapi"], "3.1.0");
  std::size_t count = 0;
  for (const auto& path : document_["paths"]) count += path.size();
  EXPECT_EQ(count, routes_.size());
  EXPECT_TRUE(document_["paths"].contains("/toys/{toy_id}:paint"));
  EXPECT_TRUE(document_["paths"].contains("/names/{name}/{rest}"));
}

TEST_F(OpenApi, ShowsSchemasWithTheirRules) {
  const json& toy = document_["components"]["schemas"]["Toy"];
  EXPECT_EQ(toy["required"], json::array({"name"}));
  EXPECT_EQ(toy["properties"]["name"],
            json::parse(R"J({"type":"string","minLength":1,"maxLength":10,"pattern":"^(?:[^!]*)$",
                             "description":"What it is called."})J"));
  EXPECT_EQ(toy["properties"]["size"],
            json::parse(R"({"type":["integer","null"],"minimum":1,"maximum":100})"));
  EXPECT_EQ(toy["properties"]["colour"],
            json::parse(R"({"$ref":"#/components/schemas/ToyColour","default":"green"})"));
  EXPECT_EQ(toy["properties"]["shapes"]["items"]["oneOf"].size(), 2U);
  EXPECT_EQ(document_["components"]["schemas"]["ToyColour"]["enum"], json::array({"red", "green"}));
}

TEST_F(OpenApi, ShowsBothMediaTypesOfAnAnswer) {
  const json& content = document_["paths"]["/words"]["get"]["responses"]["200"]["content"];
  EXPECT_EQ(content["application/json"]["schema"]["type"], "integer");
  EXPECT_EQ(content["text/event-stream"]["schema"], (json{{"type", "string"}}));
  EXPECT_EQ(document_["paths"]["/words"]["get"]["parameters"][0]["$ref"],
            "#/components/parameters/LastEventId");
}

TEST_F(OpenApi, ShowsThatBytesComeInParts) {
  const json& responses = document_["paths"]["/file"]["get"]["responses"];
  EXPECT_EQ(responses["200"]["content"], json::parse(R"({"*/*":{}})"));
  EXPECT_EQ(responses["206"]["content"], responses["200"]["content"]);
  for (const char* status : {"304", "416"}) EXPECT_TRUE(responses.contains(status)) << status;
  EXPECT_FALSE(document_["paths"]["/words"]["get"]["responses"].contains("206"));
}

TEST_F(OpenApi, ShowsParametersSecurityAndRefusals) {
  const json& one = document_["paths"]["/toys/{toy_id}"]["get"];
  EXPECT_EQ(one["parameters"][0]["schema"]["minimum"], 1);
  EXPECT_EQ(one["security"].size(), 2U);
  EXPECT_EQ(one["x-action"], "read_project");
  for (const char* status : {"200", "401", "403", "404"}) {
    EXPECT_TRUE(one["responses"].contains(status)) << status;
  }
  const json& list = document_["paths"]["/toys"]["get"];
  EXPECT_EQ(list["security"], json::array());
  EXPECT_EQ(list["parameters"][0]["schema"]["default"], 50);
  EXPECT_EQ(list["parameters"][0]["description"], "How many at most.");
  EXPECT_EQ(document_["paths"]["/upload"]["put"]["requestBody"]["content"].size(), 2U);
}

TEST_F(OpenApi, PromisesIfMatchOnlyWhereItIsHonoured) {
  const json if_match{{"$ref", "#/components/parameters/IfMatch"}};
  for (const auto& [path, promised] :
       {std::pair("/toys/{toy_id}", true), std::pair("/toys/{toy_id}/paint", false)}) {
    const json& remove = document_["paths"][path]["delete"];
    const json& parameters = remove["parameters"];
    EXPECT_EQ(std::count(parameters.begin(), parameters.end(), if_match), promised ? 1 : 0) << path;
    EXPECT_EQ(remove["responses"].contains("412"), promised) << path;
  }
}

TEST_F(OpenApi, IsTheSameWhateverTheOrderOfTheTables) {
  const std::string before = openapi_document(routes_, {.version = "1"});
  std::reverse(routes_.begin(), routes_.end());
  EXPECT_EQ(openapi_document(routes_, {.version = "1"}), before);
}

TEST_F(OpenApi, RefusesAnOperationIdGivenTwice) {
  routes_.push_back(routes_.front());
  EXPECT_THROW(openapi_document(routes_, {}), std::logic_error);
}

TEST_F(OpenApi, TheDocsPageLoadsNothingFromElsewhere) {
  const std::string page = docs_page("<toys>", "/openapi.json");
  EXPECT_THAT(page, testing::HasSubstr("&lt;toys&gt;"));
  EXPECT_THAT(page, testing::HasSubstr("const source=\"/openapi.json\""));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("http://")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("https://")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("src=")));
}

}  // namespace
}  // namespace annolog::http::openapi_test
