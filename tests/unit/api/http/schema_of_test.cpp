// Schemas with rules of their own beside those of requests, and values of several forms.
#include <gmock/gmock.h>

#include <boost/describe/class.hpp>

#include "api/http/openapi_schema.hpp"
#include "api/http/schema_of.hpp"
#include "api/http/validate.hpp"

namespace annolog::http {

using Amount = std::variant<double, std::string>;

struct Tin {
  std::string label;
  std::optional<Amount> amount;
};
BOOST_DESCRIBE_STRUCT(Tin, (), (label, amount))

template <>
struct SchemaRules<Tin> {
  static void apply(ObjectRules& rules) { rules.field("label").length(1, 10); }
};

template <class T>
struct StockRules;
template <>
struct StockRules<Amount> {
  static Schema schema() {
    Schema schema;
    schema.type = Schema::Type::any_of;
    schema.alternatives.emplace_back("", schema_ptr<double, StockRules>());
    schema.alternatives.emplace_back("", schema_ptr<std::string, StockRules>());
    return schema;
  }
};

namespace {

using nlohmann::json;

json component(const SchemaPtr& schema) {
  SchemaWriter writer;
  writer.reference(*schema);
  return writer.components().at(schema->name);
}

TEST(SchemaOf, OtherRulesStandBesideThoseOfRequests) {
  EXPECT_EQ(component(schema_ptr<Tin>())["properties"]["label"],
            json::parse(R"({"type":"string","minLength":1,"maxLength":10})"));
  EXPECT_EQ(component((schema_ptr<Tin, StockRules>()))["properties"]["label"],
            json::parse(R"({"type":"string"})"));
}

TEST(SchemaOf, AValueOfSeveralFormsIsAnyOfThem) {
  EXPECT_EQ(component((schema_ptr<Tin, StockRules>()))["properties"]["amount"],
            json::parse(R"({"anyOf":[{"type":"number"},{"type":"string"},{"type":"null"}]})"));
}

TEST(SchemaOf, AsInputAValueOfSeveralFormsIsNotLookedInto) {
  Findings findings;
  json input = json::parse(R"({"label": "", "amount": {"any": "thing"}})");
  validate(*schema_ptr<Tin, StockRules>(), input, findings);
  EXPECT_TRUE(findings.errors.empty());
}

}  // namespace
}  // namespace annolog::http
