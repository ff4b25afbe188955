#include "api/http/openapi_schema.hpp"

#include <cmath>
#include <stdexcept>

namespace annolog::http {
namespace {

using nlohmann::json;
using Type = Schema::Type;

// 1 rather than 1.0.
json number(double value) {
  if (std::trunc(value) == value && std::abs(value) < 9.1e15) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

const char* type_word(Type type) {
  switch (type) {
    case Type::boolean: return "boolean";
    case Type::integer: return "integer";
    case Type::number: return "number";
    case Type::string: return "string";
    case Type::array: return "array";
    default: return "object";
  }
}

void put_limits(json& out, const Schema& schema) {
  if (schema.minimum) out["minimum"] = number(*schema.minimum);
  if (schema.maximum) out["maximum"] = number(*schema.maximum);
  if (schema.above) out["exclusiveMinimum"] = number(*schema.above);
  if (schema.below) out["exclusiveMaximum"] = number(*schema.below);
  if (schema.min_length && *schema.min_length != 0) out["minLength"] = *schema.min_length;
  if (schema.max_length) out["maxLength"] = *schema.max_length;
  if (!schema.format.empty()) out["format"] = schema.format;
  if (!schema.pattern.empty()) out["pattern"] = "^(?:" + schema.pattern + ")$";
  const bool map = schema.type == Type::map;
  if (schema.min_items && *schema.min_items != 0) {
    out[map ? "minProperties" : "minItems"] = *schema.min_items;
  }
  if (schema.max_items) out[map ? "maxProperties" : "maxItems"] = *schema.max_items;
  if (schema.unique_items) out["uniqueItems"] = true;
}

}  // namespace

json SchemaWriter::reference(const Schema& schema) {
  if (schema.name.empty()) return plain(schema);
  collect(schema);
  json target{{"$ref", "#/components/schemas/" + schema.name}};
  if (!schema.nullable) return target;
  return {{"anyOf", json::array({target, {{"type", "null"}}})}};
}

void SchemaWriter::collect(const Schema& schema) {
  Schema bare = schema;
  bare.nullable = false;
  json written = plain(bare);
  const auto [known, added] = components_.try_emplace(schema.name, written);
  if (!added && known->second != written) {
    throw std::logic_error("two different types share the schema name " + schema.name);
  }
}

json SchemaWriter::plain(const Schema& schema) {
  json out = json::object();
  if (!schema.description.empty()) out["description"] = schema.description;
  if (schema.type == Type::any) return out;
  if (schema.type == Type::tagged_union) {
    json& choices = out["oneOf"] = json::array();
    for (const auto& [tag, alternative] : schema.alternatives) {
      json tagged{{"type", "object"},
                  {"required", {schema.tag_member}},
                  {"properties", {{schema.tag_member, {{"const", tag}}}}}};
      choices.push_back({{"allOf", json::array({reference(*alternative), std::move(tagged)})}});
    }
    if (schema.nullable) choices.push_back({{"type", "null"}});
    return out;
  }
  if (schema.type == Type::any_of) {
    json& choices = out["anyOf"] = json::array();
    for (const auto& [none, alternative] : schema.alternatives) {
      choices.push_back(reference(*alternative));
    }
    if (schema.nullable) choices.push_back({{"type", "null"}});
    return out;
  }
  const char* word = type_word(schema.type);
  out["type"] = schema.nullable ? json::array({word, "null"}) : json(word);
  put_limits(out, schema);
  if (!schema.words.empty()) {
    out["enum"] = schema.words;
    if (schema.nullable) out["enum"].push_back(nullptr);
  }
  if (schema.type == Type::array) out["items"] = reference(*schema.items);
  if (schema.type == Type::map) out["additionalProperties"] = reference(*schema.items);
  if (schema.type != Type::object) return out;
  json properties = json::object();
  json required = json::array();
  for (const Property& property : schema.properties) {
    json member = reference(*property.schema);
    if (!property.description.empty()) member["description"] = property.description;
    if (!property.default_json.empty()) member["default"] = json::parse(property.default_json);
    if (property.read_only) member["readOnly"] = true;
    properties[property.name] = std::move(member);
    if (property.required) required.push_back(property.name);
  }
  out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

}  // namespace annolog::http
