// Finds projects and datasets by what a person calls them. Uses the caller's ApiClient; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/client/api_client.hpp"

namespace annolog::client {

// By id when the text is a number and such a project exists, else by exact name. Empty: none.
// Two projects of one name are an error that asks for the id.
Called<std::optional<nlohmann::json>> find_project(ApiClient& api, const std::string& name_or_id);

// By exact name among those that the caller made: names are unique per creator, and only the
// creator may fill a dataset.
Called<std::optional<nlohmann::json>> find_own_dataset(ApiClient& api, const std::string& name);

// Those that the caller made and that the project's tasks come from.
Called<std::vector<nlohmann::json>> own_datasets_of(ApiClient& api, std::int64_t project_id);

// Whether the dataset is linked to a project beside this one; 0: one that is still to be made.
Called<bool> serves_other_projects(ApiClient& api, const nlohmann::json& dataset,
                                   std::int64_t project_id);

std::int64_t id_in(const nlohmann::json& resource);  // 0 when it has none

}  // namespace annolog::client
