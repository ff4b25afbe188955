// Finds projects and datasets by what a person calls them. Uses the caller's ApiClient; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/client/api_client.hpp"

namespace annolog::client {

// By id when the text is a number and such a project exists, else by exact name. Empty: none.
// Two projects of one name are an error that asks for the id.
Called<std::optional<nlohmann::json>> find_project(ApiClient& api, const std::string& name_or_id);

// By exact name; of several (names are unique per creator) the one with the lowest id.
Called<std::optional<nlohmann::json>> find_dataset(ApiClient& api, const std::string& name);

std::int64_t id_in(const nlohmann::json& resource);  // 0 when it has none

}  // namespace annolog::client
