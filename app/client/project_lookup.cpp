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

Called<std::optional<json>> find_own_dataset(ApiClient& api, const std::string& name) {
  BOOST_OUTCOME_TRY(const auto me, api.get("/me"));
  const std::int64_t own_id = id_in(me.body);
  if (own_id == 0) return CallError{me.status, "", "/me: the answer has no id", {}};
  std::optional<json> found;
  BOOST_OUTCOME_TRY(api.each("/datasets", [&](const json& dataset) {
    const bool own = dataset.value("creator_id", std::int64_t{0}) == own_id;
    if (own && dataset.value("name", "") == name) found = dataset;
    return !found;
  }));
  return found;
}

Called<bool> serves_other_projects(ApiClient& api, const json& dataset, std::int64_t project_id) {
  const auto linked = dataset.value("linked_project_count", std::int64_t{0});
  if (linked == 0 || project_id == 0) return linked > 0;
  bool here = false;
  const std::string path = "/projects/" + std::to_string(project_id) + "/datasets";
  BOOST_OUTCOME_TRY(api.each(path, [&](const json& one) {
    here = id_in(one) == id_in(dataset);
    return !here;
  }));
  return linked > (here ? 1 : 0);
}

}  // namespace annolog::client
