// How a type's fields are limited and explained. Specialise SchemaRules for a described struct:
//
//   template <> struct SchemaRules<RejectTaskBody> {
//     static constexpr std::string_view kName = "RejectTask";       // optional: component name
//     static void apply(ObjectRules& rules) {
//       rules.describe("Why the task goes back.");
//       rules.field("reason").length(1, 2000).describe("Shown to the annotator.");
//     }
//     static void check(const RejectTaskBody&, std::vector<FieldError>&);   // optional: across
//     fields
//   };
//
// Without rules, every member that is neither optional nor Patch is required. Rules are applied
// once at start; a field that the struct does not have, or a rule that does not suit it, throws
// std::logic_error then.
#pragma once

#include <string>
#include <string_view>

#include "api/http/schema.hpp"

namespace annolog::http {

template <class T>
struct SchemaRules;

// Rules of one member. For an array `each()` continues with its elements.
class FieldRules {
 public:
  FieldRules(Property& property, Schema& schema, bool element = false)
      : property_(property), schema_(schema), element_(element) {}

  FieldRules& length(std::size_t least, std::size_t most);  // text, in characters
  FieldRules& range(double least, double most);             // numbers, both ends allowed
  FieldRules& at_least(double least);
  FieldRules& at_most(double most);
  FieldRules& greater_than(double bound);
  FieldRules& less_than(double bound);
  // After length(). `in_words`: what one is told that does not fit, "must …".
  FieldRules& pattern(std::string ecmascript, std::string in_words);
  FieldRules& one_of(std::vector<std::string> words);
  FieldRules& format(std::string name);
  FieldRules& items(std::size_t least, std::size_t most);  // arrays and maps
  FieldRules& unique();                                    // arrays: no element twice
  FieldRules& whole_items();                               // arrays in queries: a=1,2 is one
  FieldRules each();                                       // rules of the elements
  FieldRules& defaulted();                                 // absent: the struct's initialiser
  FieldRules& required();                                  // also when it is an optional
  FieldRules& not_null();                                  // optional or Patch: null is refused
  FieldRules& read_only();
  FieldRules& describe(std::string text);

 private:
  friend class ObjectRules;
  Property& property_;
  Schema& schema_;
  bool element_;
};

class ObjectRules {
 public:
  explicit ObjectRules(Schema& schema) : schema_(schema) {}

  FieldRules field(std::string_view name);
  ObjectRules& describe(std::string text) {
    schema_.description = std::move(text);
    return *this;
  }

 private:
  Schema& schema_;
};

}  // namespace annolog::http
