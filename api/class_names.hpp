// Classes that a request names to filter by them. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "domain/project/classes.hpp"

namespace annolog::api {

// 422 naming each place of `class` that is no class of the project.
Result<std::vector<ClassId>> class_ids_of(const std::vector<ProjectClass>& classes,
                                          const std::vector<std::string>& names);

}  // namespace annolog::api
