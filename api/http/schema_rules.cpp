#include "api/http/schema_rules.hpp"

#include <regex>
#include <stdexcept>

namespace annolog::http {
namespace {

[[noreturn]] void unsuitable(const Property& property, const char* rule) {
  throw std::logic_error("schema rule " + std::string(rule) + " does not suit the field " +
                         property.name);
}

void demand(bool suits, const Property& property, const char* rule) {
  if (!suits) unsuitable(property, rule);
}

bool is_numeric(const Schema& schema) {
  return schema.type == Schema::Type::integer || schema.type == Schema::Type::number;
}

}  // namespace

void set_pattern(Schema& schema, std::string pattern, std::string in_words) {
  if (!schema.max_length || *schema.max_length > 4096) {
    throw std::logic_error("a pattern needs a max_length of at most 4096 before it");
  }
  auto compiled =
      std::make_shared<const std::regex>(pattern, std::regex::ECMAScript | std::regex::optimize);
  schema.pattern = std::move(pattern);
  schema.pattern_in_words = std::move(in_words);
  schema.matches_pattern = [compiled](std::string_view text) {
    return std::regex_match(text.begin(), text.end(), *compiled);
  };
}

FieldRules& FieldRules::length(std::size_t least, std::size_t most) {
  demand(schema_.type == Schema::Type::string, property_, "length");
  schema_.min_length = least;
  schema_.max_length = most;
  return *this;
}

FieldRules& FieldRules::range(double least, double most) { return at_least(least).at_most(most); }

FieldRules& FieldRules::at_least(double least) {
  demand(is_numeric(schema_), property_, "at_least");
  schema_.minimum = least;
  return *this;
}

FieldRules& FieldRules::at_most(double most) {
  demand(is_numeric(schema_), property_, "at_most");
  schema_.maximum = most;
  return *this;
}

FieldRules& FieldRules::greater_than(double bound) {
  demand(is_numeric(schema_), property_, "greater_than");
  schema_.above = bound;
  return *this;
}

FieldRules& FieldRules::less_than(double bound) {
  demand(is_numeric(schema_), property_, "less_than");
  schema_.below = bound;
  return *this;
}

FieldRules& FieldRules::pattern(std::string ecmascript, std::string in_words) {
  demand(schema_.type == Schema::Type::string, property_, "pattern");
  set_pattern(schema_, std::move(ecmascript), std::move(in_words));
  return *this;
}

FieldRules& FieldRules::one_of(std::vector<std::string> words) {
  demand(schema_.type == Schema::Type::string, property_, "one_of");
  schema_.words = std::move(words);
  schema_.name.clear();  // no longer the named enum
  return *this;
}

FieldRules& FieldRules::format(std::string name) {
  demand(schema_.type == Schema::Type::string, property_, "format");
  schema_.format = std::move(name);
  return *this;
}

FieldRules& FieldRules::items(std::size_t least, std::size_t most) {
  demand(schema_.type == Schema::Type::array || schema_.type == Schema::Type::map, property_,
         "items");
  schema_.min_items = least;
  schema_.max_items = most;
  return *this;
}

FieldRules& FieldRules::unique() {
  demand(schema_.type == Schema::Type::array, property_, "unique");
  schema_.unique_items = true;
  return *this;
}

FieldRules& FieldRules::whole_items() {
  demand(schema_.type == Schema::Type::array, property_, "whole_items");
  schema_.whole_items = true;
  return *this;
}

FieldRules FieldRules::each() {
  demand(schema_.items != nullptr, property_, "each");
  auto own = std::make_shared<Schema>(*schema_.items);
  schema_.items = own;
  return FieldRules(property_, *own, true);
}

FieldRules& FieldRules::defaulted() {
  demand(!element_ && !property_.default_json.empty(), property_, "defaulted");
  property_.required = false;
  return *this;
}

FieldRules& FieldRules::required() {
  demand(!element_, property_, "required");
  property_.required = true;
  return *this;
}

FieldRules& FieldRules::not_null() {
  schema_.nullable = false;
  return *this;
}

FieldRules& FieldRules::read_only() {
  demand(!element_, property_, "read_only");
  property_.read_only = true;
  return *this;
}

FieldRules& FieldRules::describe(std::string text) {
  if (element_) {
    schema_.description = std::move(text);
  } else {
    property_.description = std::move(text);
  }
  return *this;
}

FieldRules ObjectRules::field(std::string_view name) {
  for (Property& property : schema_.properties) {
    if (property.name != name) continue;
    auto own = std::make_shared<Schema>(*property.schema);  // the type's schema is shared
    property.schema = own;
    return FieldRules(property, *own);
  }
  throw std::logic_error("schema " + schema_.name + " has no field " + std::string(name));
}

}  // namespace annolog::http
