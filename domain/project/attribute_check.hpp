// The check of annotations' attributes against a project's schema. Made once for all shapes of a
// command: what they share is looked up once, so that its cost follows the values, not the square
// of the schema. The schema outlives it; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/project/attribute_schema.hpp"

namespace annolog {

class AttributeCheck {
 public:
  explicit AttributeCheck(const AttributeSchema& schema);

  // Appends the errors of one annotation's attributes. A hidden attribute is not required, nor is
  // one that only a hidden one, or one of other classes, would show; without any schema every key
  // is allowed.
  void check(const std::string& class_name, const Attributes& values, const Location& loc,
             std::vector<FieldError>& errors);

 private:
  enum class Shown : std::uint8_t { unknown, yes, no };

  void check_value(const std::string& key, const AttributeValue& value, const Location& loc,
                   std::vector<FieldError>& errors) const;
  bool visible(std::size_t index, const Attributes& values);
  bool is_shown_by(const VisibleIf& condition, const Attributes& values);

  const AttributeSchema& schema_;
  std::unordered_map<std::string_view, std::size_t> places_;       // by key
  std::unordered_map<std::string, std::vector<bool>> of_classes_;  // which apply, by class name
  const std::vector<bool>* applies_ = nullptr;                     // to the annotation in hand
  std::vector<Shown> shown_;                                       // of the annotation in hand
};

}  // namespace annolog
