// Query strings against a schema with every kind of parameter. A query that is taken binds, and its
// values written back as a query are the same query.
#include <algorithm>
#include <string>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "api/http/query_string.hpp"
#include "api/http/schema_of.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

enum class Order { created_at, updated_at };
BOOST_DESCRIBE_ENUM(Order, created_at, updated_at)

struct ListQuery {
  std::optional<std::string> cursor;
  std::int64_t limit = 50;
  std::vector<std::string> status;
  std::vector<std::int64_t> ids;
  std::optional<Order> order;
  std::optional<Timestamp> since;
  std::optional<double> min_confidence;
  bool mine = false;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (),
                      (cursor, limit, status, ids, order, since, min_confidence, mine))

}  // namespace annolog::fuzz

namespace annolog::http {

template <>
struct SchemaRules<fuzz::ListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("cursor").length(1, 200);
    rules.field("limit").range(1, 100).defaulted();
    rules.field("status").items(0, 5).defaulted();
    rules.field("ids").items(0, 5).defaulted();
    rules.field("min_confidence").range(0, 1);
    rules.field("mine").defaulted();
  }
};

}  // namespace annolog::http

namespace annolog::fuzz {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return out;
}

std::string as_query(const nlohmann::json& document) {
  std::string query;
  const auto add = [&query](const std::string& name, const nlohmann::json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    query += escaped(name) + "=" + escaped(text) + "&";
  };
  for (const auto& [name, value] : document.items()) {
    if (!value.is_array()) add(name, value);
    if (value.is_array()) {
      for (const auto& element : value) add(name, element);
    }
  }
  return query;
}

// An empty element of a list (`status=,`) is the one value that a query can't carry back.
bool has_empty_element(const nlohmann::json& document) {
  return std::ranges::any_of(document, [](const nlohmann::json& value) {
    return value.is_array() && std::ranges::find(value, nlohmann::json("")) != value.end();
  });
}

}  // namespace

void try_input(std::string_view input) {
  static const http::InputSchema schema = http::schema_of<ListQuery>();
  (void)http::query_value(input, "cursor");
  http::Findings findings;
  nlohmann::json document = http::read_query(input, *schema.schema, findings);
  http::validate(*schema.schema, document, findings);
  require(findings.errors.size() <= kMaxErrors, "errors are counted");
  if (!findings.errors.empty()) return;
  const auto bound = schema.bind(document, findings.errors);
  require(bound && findings.errors.empty(), "what the schema takes binds");
  const auto& query = bound.get<ListQuery>();
  require(query.limit >= 1 && query.limit <= 100, "limit is in its range");
  require(query.status.size() <= 5 && query.ids.size() <= 5, "lists are in their limits");

  http::Findings none;
  nlohmann::json again = http::read_query(as_query(document), *schema.schema, none);
  http::validate(*schema.schema, again, none);
  require(none.errors.empty() && none.ignored.empty(), "values written as a query are taken");
  if (!has_empty_element(document)) require(again == document, "and are the same");
}

}  // namespace annolog::fuzz
