// How the domain's value types are described to the HTTP layer: forms that only JSON knows.
// Include it in every file that puts such a type into a route's table.
#pragma once

#include "api/http/schema_of.hpp"
#include "domain/batch/commands.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/project/commands.hpp"
#include "domain/task/view.hpp"

namespace annolog::http {

template <>
struct SchemaRules<Point> {
  static Schema schema();
};
template <>
struct SchemaRules<Geometry> {
  static Schema schema();
};
template <>
struct SchemaRules<AttributeValue> {
  static Schema schema();
};
template <>
struct SchemaRules<BatchRef> {
  static Schema schema();
};
template <>
struct SchemaRules<AppliesTo> {
  static Schema schema();
};
template <>
struct SchemaRules<AttributeOption> {
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<AttributeSpec> {
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<AttributeSchema> {
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<ClassSpec> {
  static void apply(ObjectRules& rules);
};

}  // namespace annolog::http
