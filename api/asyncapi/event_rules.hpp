// What the data of the log's events may be, where the description of the struct does not say it.
// The limits of requests (api/views/schema_rules.hpp) do not stand here: they may become others,
// what is recorded stays. Include it wherever an event's schema is made.
#pragma once

#include "api/http/schema_of.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/events.hpp"

namespace annolog::api {

template <class T>
struct EventRules;

template <>
struct EventRules<Point> {
  static http::Schema schema();
};
template <>
struct EventRules<Geometry> {
  static http::Schema schema();
};
template <>
struct EventRules<AttributeValue> {
  static http::Schema schema();
};
template <>
struct EventRules<AppliesTo> {
  static http::Schema schema();
};
template <>
struct EventRules<Sealed> {
  static void apply(http::ObjectRules& rules);
};
template <>
struct EventRules<UserCreated> {
  static void apply(http::ObjectRules& rules);
};

}  // namespace annolog::api
