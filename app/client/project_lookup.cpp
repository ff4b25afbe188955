#include "app/client/project_lookup.hpp"

#include <algorithm>
#include <cctype>

namespace annolog::client {
namespace {

using nlohmann::json;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 17 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::int64_t id_in(const json& resource) {
  const auto found = resource.find("id");
  return found != resource.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

Called<std::optional<json>> find_project(ApiClient& api, const std::string& name_or_id) {
  if (is_number(name_or_id)) {
    const auto reply = api.get("/projects/" + name_or_id);
    if (reply) return std::optional(reply.value().body);
    if (reply.error().status != 404) return reply.error();
  }
  std::optional<json> found;
  std::size_t matches = 0;
  BOOST_OUTCOME_TRY(api.each("/projects", [&](const json& project) {
    if (project.value("name", "") == name_or_id && matches++ == 0) found = project;
    return matches < 2;
  }));
  if (matches > 1) {
    return CallError{0, "", "several projects are called " + name_or_id + ": give the id", {}};
  }
  return found;
}

Called<std::optional<json>> find_dataset(ApiClient& api, const std::string& name) {
  std::optional<json> found;
  BOOST_OUTCOME_TRY(api.each("/datasets", [&](const json& dataset) {
    const bool better = !found || id_in(dataset) < id_in(*found);
    if (dataset.value("name", "") == name && better) found = dataset;
    return true;
  }));
  return found;
}

}  // namespace annolog::client
