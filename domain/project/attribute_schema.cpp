#include "domain/project/attribute_schema.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string_view>

#include "domain/project/attribute_value.hpp"
#include "domain/project/classes.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

// Of all keys, labels, values and names: pages of 200 projects are made in memory.
constexpr std::size_t kMaxSchemaBytes = 256 * 1024;

using Places = std::map<std::string_view, std::size_t>;  // of the attributes, by key

Location at(const Location& loc, Location rest) {
  Location out = loc;
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

bool has_options(InputType type) {
  return type == InputType::select || type == InputType::multiselect;
}

std::size_t bytes_of(const AttributeSpec& spec) {
  std::size_t bytes = spec.key.size() + spec.label.size();
  for (const auto& option : spec.options) bytes += option.value.size() + option.label.size();
  if (const auto& classes = spec.applies_to.classes)
    for (const auto& name : *classes) bytes += name.size();
  if (!spec.visible_if) return bytes;
  const auto* wanted = std::get_if<std::string>(&spec.visible_if->equals);
  return bytes + spec.visible_if->key.size() + (wanted != nullptr ? wanted->size() : 0);
}

// Whether the attribute can ever be what visible_if asks for.
void check_condition(const AttributeSpec& by, const AttributeValue& wanted, const Location& loc,
                     std::vector<FieldError>& errors) {
  const auto* one = std::get_if<std::string>(&wanted);
  if (is_empty(wanted)) return;
  if (by.input_type == InputType::multiselect && one != nullptr && is_option(by, *one)) return;
  if (auto problem = value_problem(by, wanted); !problem.empty()) {
    errors.push_back({at(loc, {"visible_if", "equals"}), std::move(problem), "attribute_value"});
  }
}

void check_spec(const AttributeSpec& spec, const Location& loc, std::vector<FieldError>& errors) {
  if (spec.key.empty() || character_count(spec.key) > 100) {
    errors.push_back({at(loc, {"key"}), "An attribute key has 1 to 100 characters.", "length"});
  }
  if (has_options(spec.input_type) == spec.options.empty()) {
    errors.push_back({at(loc, {"options"}),
                      has_options(spec.input_type) ? "A select or multiselect needs options."
                                                   : "Only select and multiselect have options.",
                      "options"});
  }
  if (spec.options.size() > kMaxOptions) {
    errors.push_back({at(loc, {"options"}), "At most 1000 options.", "too_many_items"});
    return;
  }
  if (const auto& classes = spec.applies_to.classes; classes && classes->size() > kMaxClasses) {
    errors.push_back({at(loc, {"applies_to"}), "At most 1000 classes.", "too_many_items"});
    return;
  }
  std::set<std::string_view> values;
  for (std::size_t i = 0; i < spec.options.size(); ++i) {
    if (!values.insert(spec.options[i].value).second) {
      errors.push_back({at(loc, {"options", static_cast<std::int64_t>(i), "value"}),
                        "Option values are unique.", "duplicate"});
    }
  }
  if (spec.min && spec.max && *spec.min > *spec.max) {
    errors.push_back({at(loc, {"min"}), "min must not be above max.", "out_of_range"});
  }
  if (spec.step && *spec.step <= 0) {
    errors.push_back({at(loc, {"step"}), "step must be above 0.", "out_of_range"});
  }
}

// Whether the attribute is shown by itself, over however many others.
bool goes_round(const AttributeSchema& schema, const Places& places, std::size_t start) {
  std::size_t at = start;
  for (std::size_t steps = 0; steps < schema.attributes.size(); ++steps) {
    const auto& condition = schema.attributes[at].visible_if;
    if (!condition) return false;
    const auto by = places.find(condition->key);
    if (by == places.end()) return false;
    at = by->second;
    if (at == start) return true;
  }
  return false;
}

void check_visible_if(const AttributeSchema& schema, const Places& places, std::size_t index,
                      const Location& loc, std::vector<FieldError>& errors) {
  const auto& condition = schema.attributes[index].visible_if;
  if (!condition) return;
  const auto by = places.find(condition->key);
  if (by == places.end()) {
    errors.push_back({at(loc, {"visible_if", "key"}),
                      "visible_if must name another attribute of this schema.",
                      "unknown_attribute"});
  } else if (goes_round(schema, places, index)) {
    errors.push_back({at(loc, {"visible_if", "key"}),
                      "An attribute can't decide, by itself or by others, whether it is shown.",
                      "circular"});
  } else {
    check_condition(schema.attributes[by->second], condition->equals, loc, errors);
  }
}

}  // namespace

void check_schema(const AttributeSchema& schema, const Location& loc,
                  std::vector<FieldError>& errors) {
  if (schema.attributes.size() > kMaxAttributes) {
    errors.push_back({at(loc, {"attributes"}), "At most 200 attributes.", "too_many_items"});
    return;
  }
  std::size_t bytes = 0;
  for (const auto& spec : schema.attributes) bytes += bytes_of(spec);
  if (bytes > kMaxSchemaBytes) {
    errors.push_back({at(loc, {"attributes"}), "At most 256 KiB of texts.", "length"});
    return;
  }
  Places places;
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    places.emplace(schema.attributes[i].key, i);
  }
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    const auto& spec = schema.attributes[i];
    const Location here = at(loc, {"attributes", static_cast<std::int64_t>(i)});
    check_spec(spec, here, errors);
    check_visible_if(schema, places, i, here, errors);
    if (places.at(spec.key) != i) {
      errors.push_back({at(here, {"key"}), "Attribute keys are unique.", "duplicate"});
    }
  }
}

}  // namespace annolog
