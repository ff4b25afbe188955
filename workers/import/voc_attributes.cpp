#include "workers/import/voc_attributes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "domain/task/plain_values.hpp"

namespace annolog::workers {
namespace {

constexpr std::string_view kUnspecified = "Unspecified";  // the usual filling of <pose>

const AttributeSpec* spec_of(const AttributeSchema& schema, std::string_view key,
                             const std::string& class_name) {
  const auto found = std::ranges::find(schema.attributes, key, &AttributeSpec::key);
  if (found == schema.attributes.end()) return nullptr;
  const auto& classes = found->applies_to.classes;
  const bool applies = !classes || std::ranges::find(*classes, class_name) != classes->end();
  return applies ? &*found : nullptr;
}

bool is_flag(std::string_view key) {
  return key == "truncated" || key == "occluded" || key == "difficult";
}

// A JSON array of texts.
std::optional<std::vector<std::string>> list_of(const std::string& text) {
  if (!text.starts_with('[')) return std::nullopt;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return std::nullopt;
  std::vector<std::string> all;
  for (const auto& one : json) {
    if (!one.is_string()) return std::nullopt;
    all.push_back(one.get<std::string>());
  }
  return all;
}

// As the schema has it; a text that is no such value stays one, and the check of attributes says
// what was wanted.
AttributeValue value_of(InputType type, const std::string& text) {
  if (type == InputType::boolean) {
    if (const auto flag = plain_flag(text)) return *flag;
  } else if (type == InputType::number || type == InputType::range) {
    if (const auto number = plain_number(text)) return *number;
  } else if (type == InputType::multiselect) {
    if (auto list = list_of(text)) return std::move(*list);
  }
  return text;
}

// What our export would have written so: written again it gives the same text.
AttributeValue guessed(const std::string& key, const std::string& text) {
  const auto written = [&](const AttributeValue& value) { return plain_text(value) == text; };
  // A flag that is true or false stands in an element of its own.
  if (const auto flag = plain_flag(text); flag && written(*flag) && !is_flag(key)) return *flag;
  if (const auto number = plain_number(text); number && written(*number)) return *number;
  if (auto list = list_of(text); list && written(*list)) return std::move(*list);
  return text;
}

}  // namespace

void tell_attributes(const VocObject& object, const AttributeSchema& schema, ImportedShape& shape) {
  Attributes values;
  CoarseTelling& coarse = *shape.coarse;
  const bool any_key = schema.attributes.empty();
  for (const auto& [key, told] : object.flags) {
    const auto* spec = spec_of(schema, key, shape.class_name);
    const bool suits = spec != nullptr && spec->input_type == InputType::boolean;
    if (!told) coarse.not_true.push_back(key);
    // The format always has them: a flag that the project does not know is no fault.
    if (told ? (suits || any_key) : (suits && spec->required)) values[key] = told;
  }
  if (object.pose) {
    const auto* spec = spec_of(schema, "pose", shape.class_name);
    if (spec != nullptr) values["pose"] = value_of(spec->input_type, *object.pose);
    else if (any_key && *object.pose != kUnspecified) values["pose"] = *object.pose;
  }
  for (const auto& [key, text] : object.attributes) {
    const auto* spec = spec_of(schema, key, shape.class_name);
    values[key] = spec == nullptr ? guessed(key, text) : value_of(spec->input_type, text);
  }
  shape.attributes = std::move(values);
}

}  // namespace annolog::workers
