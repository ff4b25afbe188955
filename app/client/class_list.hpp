// The classes a project should have, from a classes file or from a COCO file's categories.
// Pure; any thread. Names are unique case-insensitively (ASCII), as the service wants them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::client {

// A classes_config: [{name, color?, aliases?}, …] from text. JSON array: of names or of class
// objects. Else one name a line; blank lines and lines beginning with # are left out.
Result<nlohmann::json> parse_classes(std::string_view text);

// Appends to classes_config every class of `wanted` whose name it lacks; true when any was added.
bool add_missing_classes(nlohmann::json& classes_config, const nlohmann::json& wanted);

nlohmann::json classes_of_names(const std::vector<std::string>& names);

}  // namespace annolog::client
