#include "app/client/class_list.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "app/client/json_depth.hpp"
#include "platform/json_text.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

DomainError bad_classes(std::string message) {
  return {DomainError::Kind::invalid, "BAD_CLASSES_FILE", std::move(message), {}, {}, 0};
}

std::string folded(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const auto begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin, line.find_last_not_of(kBlank) - begin + 1));
}

Result<json> from_json(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_array())
    return bad_classes("The classes file begins like JSON but is not an array.");
  json classes = json::array();
  for (std::size_t i = 0; i < document.size(); ++i) {
    const json& one = document[i];
    const bool object = one.is_object() && one.contains("name") && one["name"].is_string();
    if (!object && !one.is_string()) {
      return bad_classes("Entry " + std::to_string(i) + " of the classes file has no name.");
    }
    if (nested_deeper_than(kMaxFileDepth, one)) {
      return bad_classes("Entry " + std::to_string(i) + " of the classes file is nested too deep.");
    }
    json wanted = json::array({object ? one : json{{"name", one}}});
    add_missing_classes(classes, wanted);
  }
  return classes;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = platform::utf8_character_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

Result<json> parse_classes(std::string_view text) {
  if (!is_utf8(text)) return bad_classes("The classes file is not UTF-8.");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '[') return from_json(text);
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string name = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!name.empty() && !name.starts_with('#')) names.push_back(std::move(name));
  }
  if (names.empty()) return bad_classes("The classes file names no class.");
  return classes_of_names(names);
}

bool add_missing_classes(json& classes_config, const json& wanted) {
  if (!classes_config.is_array()) classes_config = json::array();
  std::set<std::string> present;
  for (const json& one : classes_config) present.insert(folded(one.value("name", "")));
  bool added = false;
  for (const json& one : wanted) {
    if (!present.insert(folded(one.value("name", ""))).second) continue;
    classes_config.push_back(one);
    added = true;
  }
  return added;
}

json classes_of_names(const std::vector<std::string>& names) {
  json wanted = json::array();
  for (const std::string& name : names) wanted.push_back({{"name", name}});
  json classes = json::array();
  add_missing_classes(classes, wanted);
  return classes;
}

}  // namespace annolog::client
