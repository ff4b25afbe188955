#include "api/views/schema_rules.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "platform/exact_number.hpp"

namespace annolog::http {
namespace {

using nlohmann::json;
using Lack = std::optional<Schema::Lack>;

bool is_text(const json& value) { return value.is_string(); }
bool is_list_of_texts(const json& value) {
  return value.is_array() && std::ranges::all_of(value, is_text);
}

Lack lack_of_attribute_value(const json& value) {
  if (value.is_number() && !platform::is_exact_as_double(value))
    return Schema::Lack{"is an integer past 2^53 that can't be kept exactly", "out_of_range"};
  if (value.is_null() || value.is_boolean() || value.is_number() || is_text(value)) return {};
  if (is_list_of_texts(value)) return {};
  return Schema::Lack{"must be null, a boolean, a number, a text or a list of texts", "wrong_type"};
}

Lack lack_of_batch_ref(const json& value) {
  if (value.is_number_integer() || is_text(value)) return {};
  return Schema::Lack{"must be the id of a batch or its display id", "wrong_type"};
}

Lack lack_of_applies_to(const json& value) {
  if (value.is_null() || value == "*" || is_list_of_texts(value)) return {};
  return Schema::Lack{"must be \"*\" or a list of class names", "wrong_type"};
}

}  // namespace

Schema SchemaRules<Point>::schema() {
  Schema schema;
  schema.type = Schema::Type::array;
  schema.name = "Point";
  schema.description = "[x, y], normalised to the image.";
  schema.items = schema_ptr<double>();
  schema.min_items = schema.max_items = 2;
  return schema;
}

Schema SchemaRules<Geometry>::schema() {
  Schema schema;
  schema.description =
      "{x, y, width, height} of a bbox, {points: [[x, y], ...]} of a polygon, "
      "{points: [{name, x, y, visible}, ...]} of keypoints, {type, frame_index, x, y, w, h} of a "
      "video_bbox, {type, track_id, keyframes: [{frame_index, bbox: {x, y, w, h}, source, absent, "
      "occluded}, ...]} of a video_track; normalised to [0,1].";
  return schema;
}

Schema SchemaRules<AttributeValue>::schema() {
  Schema schema;
  schema.description = "null, a boolean, a number, a text or a list of texts.";
  schema.lack = lack_of_attribute_value;
  return schema;
}

Schema SchemaRules<BatchRef>::schema() {
  Schema schema;
  schema.description = "The id of a batch, or its display id: 4161, \"B-3\", \"B-DEFAULT\".";
  schema.lack = lack_of_batch_ref;
  return schema;
}

Schema SchemaRules<AppliesTo>::schema() {
  Schema schema;
  schema.description = "\"*\" for all classes, or a list of class names.";
  schema.lack = lack_of_applies_to;
  return schema;
}

void SchemaRules<AttributeOption>::apply(ObjectRules& rules) {
  rules.field("value").length(1, 200);
  rules.field("label").defaulted();
}

void SchemaRules<AttributeSpec>::apply(ObjectRules& rules) {
  rules.field("key").length(1, 100);
  rules.field("label").defaulted();
  rules.field("required").defaulted();
  rules.field("options").items(0, 1000).defaulted();
  rules.field("applies_to").defaulted();
  rules.field("mutable").defaulted();
}

void SchemaRules<AttributeSchema>::apply(ObjectRules& rules) {
  rules.field("attributes").items(0, 200).defaulted();
}

void SchemaRules<ClassSpec>::apply(ObjectRules& rules) {
  rules.field("name").describe("1 to 100 characters, unique without regard to case.");
  rules.field("color")
      .length(0, 7)
      .pattern("(#[0-9A-Fa-f]{6})?", "must be #RRGGBB in hexadecimal")
      .defaulted()
      .describe("#RRGGBB; absent: from a palette.");
  rules.field("aliases").items(0, 100).defaulted();
}

}  // namespace annolog::http
