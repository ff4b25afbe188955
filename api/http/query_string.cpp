#include "api/http/query_string.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {
namespace {

using nlohmann::json;
using Type = Schema::Type;

// A text that is not what the schema expects stays text: validate() then says what was expected.
json read_scalar(const Schema& schema, std::string text) {
  if (schema.type == Type::boolean) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
  } else if (schema.type == Type::integer || schema.type == Type::number) {
    if (const auto whole = number_from<std::int64_t>(text)) return *whole;
    if (const auto real = number_from<double>(text); real && std::isfinite(*real)) return *real;
  }
  return text;
}

const Property* find_property(const Schema& schema, std::string_view name) {
  for (const Property& property : schema.properties) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

void put(json& document, const Property& property, std::string text, Findings& findings) {
  const Schema& schema = *property.schema;
  if (schema.type == Type::array) {
    json& list = document[property.name];
    if (!list.is_array()) list = json::array();
    if (schema.whole_items) {
      list.push_back(read_scalar(*schema.items, std::move(text)));
      return;
    }
    // What is empty is no word of a list: a filter that was forgotten must not ask for everything.
    if (text.empty()) list.push_back(text);
    for (std::string_view rest = text; !rest.empty();) {
      list.push_back(read_scalar(*schema.items, std::string(take_until(rest, ','))));
    }
    return;
  }
  if (!document.emplace(property.name, read_scalar(schema, std::move(text))).second)
    findings.errors.push_back({{property.name}, "must be given once", "duplicate"});
}

}  // namespace

json read_query(std::string_view query, const Schema& schema, Findings& findings) {
  json document = json::object();
  while (!query.empty() && !findings.full()) {
    std::string_view value = take_until(query, '&');
    if (value.empty()) continue;
    const std::string_view raw_name = take_until(value, '=');
    const auto name = percent_decode(raw_name, true);
    auto text = percent_decode(value, true);
    if (!name || !text) {
      findings.errors.push_back({{std::string(name.value_or("?"))},
                                 "must be percent-encoded UTF-8 without NUL",
                                 "encoding"});
      continue;
    }
    if (const Property* property = find_property(schema, *name)) {
      put(document, *property, std::move(*text), findings);
    } else if (findings.ignored.size() < 100) {
      findings.ignored.push_back({*name});
    }
  }
  return document;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (take_until(value, '=') == name) return percent_decode(value, true);
  }
  return std::nullopt;
}

}  // namespace annolog::http
