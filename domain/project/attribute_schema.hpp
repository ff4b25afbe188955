// The attribute schema of a project (spec, "Attribute schema fields"; decisions, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/attributes.hpp"
#include "domain/support/error.hpp"

namespace annolog {

enum class InputType : std::uint8_t { text, number, boolean, select, multiselect, range };
BOOST_DESCRIBE_ENUM(InputType, text, number, boolean, select, multiselect, range)

struct AttributeOption {
  std::string value;
  std::string label;
  bool operator==(const AttributeOption&) const = default;
};
BOOST_DESCRIBE_STRUCT(AttributeOption, (), (value, label))

struct VisibleIf {
  std::string key;
  AttributeValue equals;
  bool operator==(const VisibleIf&) const = default;
};
BOOST_DESCRIBE_STRUCT(VisibleIf, (), (key, equals))

// The classes an attribute is for: "*" or a list of names in JSON.
struct AppliesTo {
  std::optional<std::vector<std::string>> classes;  // absent: all
  bool operator==(const AppliesTo&) const = default;
};
BOOST_DESCRIBE_STRUCT(AppliesTo, (), (classes))

struct AttributeSpec {
  std::string key;
  std::string label;
  InputType input_type = InputType::text;
  bool required = false;
  std::vector<AttributeOption> options;  // select and multiselect only
  std::optional<double> min, max, step;  // number and range; for text: length
  AppliesTo applies_to;
  std::optional<VisibleIf> visible_if;
  bool mutable_ = false;  // "mutable" in JSON: may change along a video track
  bool operator==(const AttributeSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(AttributeSpec, (),
                      (key, label, input_type, required, options, min, max, step, applies_to,
                       visible_if, mutable_))

struct AttributeSchema {
  std::vector<AttributeSpec> attributes;
  bool operator==(const AttributeSchema&) const = default;
};
BOOST_DESCRIBE_STRUCT(AttributeSchema, (), (attributes))

inline constexpr std::size_t kMaxAttributes = 200;
inline constexpr std::size_t kMaxOptions = 1000;  // of an attribute

// Errors in the schema itself: keys unique, options where they belong, min <= max, visible_if names
// another attribute and a value that it can have, and no condition leads back to itself.
void check_schema(const AttributeSchema& schema, const Location& loc,
                  std::vector<FieldError>& errors);

}  // namespace annolog
