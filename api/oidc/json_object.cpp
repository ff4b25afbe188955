#include "api/oidc/json_object.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "api/http/json_parse.hpp"

namespace annolog::api::oidc {

std::optional<nlohmann::json> parse_object(std::string_view text) {
  std::vector<FieldError> errors;
  auto parsed = http::parse_client_json(text, errors);
  auto* json = std::get_if<nlohmann::json>(&parsed);
  if (json == nullptr || !errors.empty() || !json->is_object()) return std::nullopt;
  return std::move(*json);
}

std::optional<std::string> text_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool lists(const nlohmann::json& list, std::string_view text) {
  return list.is_array() &&
         std::ranges::any_of(list, [text](const nlohmann::json& one) { return one == text; });
}

}  // namespace annolog::api::oidc
