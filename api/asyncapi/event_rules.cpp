#include "api/asyncapi/event_rules.hpp"

namespace annolog::api {
namespace {

using http::Schema;

template <class... Ts>
Schema one_of(std::string name, std::string description) {
  Schema schema;
  schema.type = Schema::Type::any_of;
  schema.name = std::move(name);
  schema.description = std::move(description);
  (schema.alternatives.emplace_back("", http::schema_ptr<Ts, EventRules>()), ...);
  return schema;
}

}  // namespace

Schema EventRules<Point>::schema() {
  Schema schema;
  schema.type = Schema::Type::array;
  schema.name = "Point";
  schema.description = "[x, y], normalised to the image.";
  schema.items = http::schema_ptr<double, EventRules>();
  schema.min_items = schema.max_items = 2;
  return schema;
}

Schema EventRules<Geometry>::schema() {
  return one_of<Bbox, Polygon, KeypointSet, VideoBbox, VideoTrack>(
      "Geometry",
      "A box, a polygon, a set of keypoints, a box of a video's frame or a track; normalised to "
      "[0,1].");
}

Schema EventRules<AttributeValue>::schema() {
  Schema schema = one_of<bool, double, std::string, std::vector<std::string>>(
      "AttributeValue", "null, a boolean, a number, a text or a list of texts.");
  schema.nullable = true;
  return schema;
}

Schema EventRules<AppliesTo>::schema() {
  Schema all;
  all.type = Schema::Type::string;
  all.words = {"*"};
  Schema schema =
      one_of<std::vector<std::string>>("AppliesTo", "\"*\" for all classes, or their names.");
  schema.alternatives.emplace_back("", std::make_shared<const Schema>(std::move(all)));
  return schema;
}

void EventRules<Sealed>::apply(http::ObjectRules& rules) {
  rules.describe(
      "A personal field, sealed (XChaCha20-Poly1305) with the person's own key. The key is not in "
      "the log; when the person is erased, so is the key, and nobody can read the field any more "
      "while the record stays byte for byte as it is.");
  rules.field("key_id").describe("Names the key; says nothing about the person.");
  rules.field("base64").describe("base64url of the sealed bytes.");
}

void EventRules<UserCreated>::apply(http::ObjectRules& rules) {
  constexpr const char* kDigest =
      "Keyed hash (HMAC-SHA-256) of the sealed text: equal texts are found without it.";
  rules.field("username_digest").describe(kDigest);
  rules.field("email_digest").describe(kDigest);
}

}  // namespace annolog::api
