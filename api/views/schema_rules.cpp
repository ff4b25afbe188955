#include "api/views/schema_rules.hpp"

namespace annolog::http {

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
  return schema;
}

Schema SchemaRules<BatchRef>::schema() {
  Schema schema;
  schema.description = "The id of a batch, or its display id: 4161, \"B-3\", \"B-DEFAULT\".";
  return schema;
}

Schema SchemaRules<AppliesTo>::schema() {
  Schema schema;
  schema.description = "\"*\" for all classes, or a list of class names.";
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
      .pattern("(#[0-9A-Fa-f]{6})?")
      .defaulted()
      .describe("#RRGGBB; absent: from a palette.");
  rules.field("aliases").items(0, 100).defaulted();
}

}  // namespace annolog::http
