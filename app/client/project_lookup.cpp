#include "app/client/project_lookup.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

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

namespace {

// Until `visit` returns false.
Called<bool> each_own_dataset(ApiClient& api, const std::function<bool(const json&)>& visit) {
  BOOST_OUTCOME_TRY(const auto me, api.get("/me"));
  const std::int64_t own_id = id_in(me.body);
  if (own_id == 0) return CallError{me.status, "", "/me: the answer has no id", {}};
  BOOST_OUTCOME_TRY(api.each("/datasets", [&](const json& dataset) {
    return dataset.value("creator_id", std::int64_t{0}) != own_id || visit(dataset);
  }));
  return true;
}

}  // namespace

Called<std::optional<json>> find_own_dataset(ApiClient& api, const std::string& name) {
  std::optional<json> found;
  BOOST_OUTCOME_TRY(each_own_dataset(api, [&](const json& dataset) {
    if (dataset.value("name", "") == name) found = dataset;
    return !found;
  }));
  return found;
}

Called<std::vector<json>> own_datasets_of(ApiClient& api, std::int64_t project_id) {
  std::set<std::int64_t> linked;
  BOOST_OUTCOME_TRY(api.each("/projects/" + std::to_string(project_id) + "/datasets",
                             [&](const json& one) { return linked.insert(id_in(one)).second; }));
  std::vector<json> own;
  if (linked.empty()) return own;
  BOOST_OUTCOME_TRY(each_own_dataset(api, [&](const json& dataset) {
    if (linked.contains(id_in(dataset))) own.push_back(dataset);
    return true;
  }));
  return own;
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
