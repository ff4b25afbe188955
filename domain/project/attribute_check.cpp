#include "domain/project/attribute_check.hpp"

#include <algorithm>

#include "domain/project/attribute_value.hpp"

namespace annolog {
namespace {

Location place_of(Location loc, const std::string& key) {
  loc.emplace_back(key);
  return loc;
}

bool applies(const AttributeSpec& spec, const std::string& class_name) {
  const auto& classes = spec.applies_to.classes;
  return !classes || std::ranges::find(*classes, class_name) != classes->end();
}

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::ranges::sort(list);
  return list;
}

// What is not given equals null. Of several options the order says nothing, and one that is among
// them is enough. A list that can't be right shows nothing.
bool has_wanted(const AttributeSpec& by, const AttributeValue& value,
                const AttributeValue& wanted) {
  const auto* chosen = std::get_if<std::vector<std::string>>(&value);
  if (is_empty(wanted)) return is_empty(value);
  if (chosen == nullptr) return value == wanted;
  if (chosen->size() > by.options.size()) return false;
  if (const auto* one = std::get_if<std::string>(&wanted)) {
    return std::ranges::find(*chosen, *one) != chosen->end();
  }
  const auto* all = std::get_if<std::vector<std::string>>(&wanted);
  return all != nullptr && chosen->size() == all->size() && sorted(*chosen) == sorted(*all);
}

}  // namespace

AttributeCheck::AttributeCheck(const AttributeSchema& schema) : schema_(schema) {
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    places_.emplace(schema.attributes[i].key, i);
  }
}

void AttributeCheck::check(const std::string& class_name, const Attributes& values,
                           const Location& loc, std::vector<FieldError>& errors) {
  if (schema_.attributes.empty()) return;
  auto& of_class = of_classes_[class_name];
  if (of_class.empty()) {
    for (const auto& spec : schema_.attributes) of_class.push_back(applies(spec, class_name));
  }
  applies_ = &of_class;
  shown_.assign(schema_.attributes.size(), Shown::unknown);
  for (const auto& [key, value] : values) {
    if (!is_full(errors)) check_value(key, value, loc, errors);
  }
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const AttributeSpec& spec = schema_.attributes[i];
    if (!spec.required || !of_class[i] || !visible(i, values)) continue;
    const auto found = values.find(spec.key);
    if (found == values.end() || is_blank(found->second)) {
      errors.push_back({place_of(loc, spec.key), "This attribute is required.", "missing"});
    }
  }
}

void AttributeCheck::check_value(const std::string& key, const AttributeValue& value,
                                 const Location& loc, std::vector<FieldError>& errors) const {
  const auto place = places_.find(key);
  if (place == places_.end() || !(*applies_)[place->second]) {
    errors.push_back({place_of(loc, key),
                      "The project's attribute schema has no such attribute for this class.",
                      "unknown_attribute"});
  } else if (!std::holds_alternative<std::nullptr_t>(value)) {
    if (auto problem = value_problem(schema_.attributes[place->second], value); !problem.empty()) {
      errors.push_back({place_of(loc, key), std::move(problem), "attribute_value"});
    }
  }
}

// Conditions don't go round in circles: check_schema() sees to that.
bool AttributeCheck::visible(std::size_t index, const Attributes& values) {
  if (shown_[index] == Shown::unknown) {
    const auto& condition = schema_.attributes[index].visible_if;
    shown_[index] = !condition || is_shown_by(*condition, values) ? Shown::yes : Shown::no;
  }
  return shown_[index] == Shown::yes;
}

// What a hidden attribute says, shows nothing: it may be left from before it was hidden.
bool AttributeCheck::is_shown_by(const VisibleIf& condition, const Attributes& values) {
  const auto place = places_.find(condition.key);
  if (place == places_.end() || !(*applies_)[place->second]) return false;
  if (!visible(place->second, values)) return false;
  const auto found = values.find(condition.key);
  return has_wanted(schema_.attributes[place->second],
                    found == values.end() ? AttributeValue(nullptr) : found->second,
                    condition.equals);
}

}  // namespace annolog
