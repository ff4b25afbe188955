#include "domain/project/attribute_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "domain/support/text.hpp"

namespace annolog {
namespace {

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
    // Number, step and quotient are rounded each: of many steps that is more.
    const double off = std::abs(steps - std::round(steps));
    if (off > std::max(1e-6, std::abs(steps) * 2 * std::numeric_limits<double>::epsilon())) {
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

std::string list_problem(const AttributeSpec& spec, const std::vector<std::string>& list) {
  if (list.size() > spec.options.size()) return "More options are named than there are.";
  std::vector<std::string_view> options;
  for (const auto& option : spec.options) options.emplace_back(option.value);
  std::ranges::sort(options);
  for (const auto& entry : list) {
    if (!std::ranges::binary_search(options, std::string_view(entry))) {
      return "\"" + entry + "\" is not one of the options.";
    }
  }
  std::vector<std::string_view> named(list.begin(), list.end());
  std::ranges::sort(named);
  const bool twice = std::ranges::adjacent_find(named) != named.end();
  return twice ? "An option is named twice." : "";
}

std::string option_problem(const AttributeSpec& spec, const AttributeValue& value) {
  if (spec.input_type == InputType::select) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return "Must be one of the options, as a text.";
    return is_option(spec, *text) ? "" : "\"" + *text + "\" is not one of the options.";
  }
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  return list == nullptr ? "Must be a list of options." : list_problem(spec, *list);
}

}  // namespace

bool is_option(const AttributeSpec& spec, std::string_view value) {
  return std::ranges::find(spec.options, value, &AttributeOption::value) != spec.options.end();
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

}  // namespace annolog
