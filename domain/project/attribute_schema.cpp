#include "domain/project/attribute_schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "domain/support/text.hpp"

namespace annolog {
namespace {

Location at(const Location& loc, Location rest) {
  Location out = loc;
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

bool has_options(InputType type) {
  return type == InputType::select || type == InputType::multiselect;
}

bool is_option(const AttributeSpec& spec, const std::string& value) {
  return std::any_of(spec.options.begin(), spec.options.end(),
                     [&](const AttributeOption& option) { return option.value == value; });
}

bool applies(const AttributeSpec& spec, std::string_view class_name) {
  const auto& classes = spec.applies_to.classes;
  return !classes || std::find(classes->begin(), classes->end(), class_name) != classes->end();
}

// 0.1, not 0.100000.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// What is wrong with the value, or empty.
std::string number_problem(const AttributeSpec& spec, const AttributeValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return "Must be a number.";
  if (spec.min && *number < *spec.min) return "Must be at least " + number_text(*spec.min) + ".";
  if (spec.max && *number > *spec.max) return "Must be at most " + number_text(*spec.max) + ".";
  if (spec.step && *spec.step > 0) {
    const double steps = (*number - spec.min.value_or(0)) / *spec.step;
    if (std::abs(steps - std::round(steps)) > 1e-6) {
      return "Must be a multiple of " + number_text(*spec.step) + " from the minimum.";
    }
  }
  return {};
}

std::string text_problem(const AttributeSpec& spec, const AttributeValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "Must be a text.";
  const auto length = static_cast<double>(character_count(*text));
  if (spec.min && length < *spec.min) return "The text is too short.";
  if (length > spec.max.value_or(10'000)) return "The text is too long.";
  return {};
}

std::string option_problem(const AttributeSpec& spec, const AttributeValue& value) {
  if (spec.input_type == InputType::select) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return "Must be one of the options, as a text.";
    return is_option(spec, *text) ? "" : "\"" + *text + "\" is not one of the options.";
  }
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  if (list == nullptr) return "Must be a list of options.";
  for (const auto& entry : *list) {
    if (!is_option(spec, entry)) return "\"" + entry + "\" is not one of the options.";
  }
  const std::set<std::string> unique(list->begin(), list->end());
  return unique.size() == list->size() ? "" : "An option is named twice.";
}

std::string value_problem(const AttributeSpec& spec, const AttributeValue& value) {
  switch (spec.input_type) {
    case InputType::number:
    case InputType::range: return number_problem(spec, value);
    case InputType::boolean:
      return std::holds_alternative<bool>(value) ? "" : "Must be true or false.";
    case InputType::select:
    case InputType::multiselect: return option_problem(spec, value);
    case InputType::text: break;
  }
  return text_problem(spec, value);
}

bool is_empty(const AttributeValue& value) {
  if (std::holds_alternative<std::nullptr_t>(value)) return true;
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  return list != nullptr && list->empty();
}

// Says nothing where something is required.
bool is_blank(const AttributeValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return is_empty(value) || (text != nullptr && text->empty());
}

const AttributeSpec* find_spec(const AttributeSchema& schema, const std::string& key) {
  const auto found = std::ranges::find(schema.attributes, key, &AttributeSpec::key);
  return found == schema.attributes.end() ? nullptr : &*found;
}

// What is not given equals null. Of several options the order says nothing, and one that is among
// them is enough.
bool matches(const AttributeValue& value, const AttributeValue& wanted) {
  const auto* chosen = std::get_if<std::vector<std::string>>(&value);
  if (is_empty(wanted)) return is_empty(value);
  if (chosen == nullptr) return value == wanted;
  if (const auto* one = std::get_if<std::string>(&wanted)) {
    return std::ranges::find(*chosen, *one) != chosen->end();
  }
  const auto* all = std::get_if<std::vector<std::string>>(&wanted);
  return all != nullptr && std::ranges::is_permutation(*chosen, *all);
}

// What a hidden attribute says, shows nothing: it may be left from before it was hidden.
bool visible(const AttributeSchema& schema, const AttributeSpec& spec, std::string_view class_name,
             const Attributes& values) {
  if (!spec.visible_if) return true;
  const auto* by = find_spec(schema, spec.visible_if->key);
  // Those before it are never shown by it: check_schema() sees to that.
  if (by == nullptr || by >= &spec) return false;
  if (!applies(*by, class_name) || !visible(schema, *by, class_name, values)) return false;
  const auto found = values.find(by->key);
  return matches(found == values.end() ? AttributeValue(nullptr) : found->second,
                 spec.visible_if->equals);
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
  std::set<std::string> values;
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

}  // namespace

void check_schema(const AttributeSchema& schema, const Location& loc,
                  std::vector<FieldError>& errors) {
  if (schema.attributes.size() > kMaxAttributes) {
    errors.push_back({at(loc, {"attributes"}), "At most 200 attributes.", "too_many_items"});
    return;
  }
  std::set<std::string> keys;
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    const auto& spec = schema.attributes[i];
    const Location here = at(loc, {"attributes", static_cast<std::int64_t>(i)});
    check_spec(spec, here, errors);
    if (spec.visible_if && !keys.contains(spec.visible_if->key)) {
      errors.push_back({at(here, {"visible_if", "key"}),
                        "visible_if must name an attribute that stands before this one.",
                        "unknown_attribute"});
    } else if (spec.visible_if) {
      check_condition(*find_spec(schema, spec.visible_if->key), spec.visible_if->equals, here,
                      errors);
    }
    if (!keys.insert(spec.key).second) {
      errors.push_back({at(here, {"key"}), "Attribute keys are unique.", "duplicate"});
    }
  }
}

void check_attributes(const AttributeSchema& schema, std::string_view class_name,
                      const Attributes& values, const Location& loc,
                      std::vector<FieldError>& errors) {
  if (schema.attributes.empty()) return;
  for (const auto& [key, value] : values) {
    const auto* spec = find_spec(schema, key);
    if (spec == nullptr || !applies(*spec, class_name)) {
      errors.push_back({at(loc, {key}),
                        "The project's attribute schema has no such attribute for "
                        "this class.",
                        "unknown_attribute"});
    } else if (!is_empty(value)) {
      if (auto problem = value_problem(*spec, value); !problem.empty()) {
        errors.push_back({at(loc, {key}), std::move(problem), "attribute_value"});
      }
    }
  }
  for (const auto& spec : schema.attributes) {
    if (!spec.required || !applies(spec, class_name)) continue;
    if (!visible(schema, spec, class_name, values)) continue;
    const auto found = values.find(spec.key);
    if (found == values.end() || is_blank(found->second)) {
      errors.push_back({at(loc, {spec.key}), "This attribute is required.", "missing"});
    }
  }
}

}  // namespace annolog
