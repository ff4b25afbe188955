// Numbers that JSON carries and a double is to keep.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace annolog::platform {

// Whether the number, kept as a double, stays what it is: an integer past 2^53 that no double
// equals would come out as another. Other numbers are doubles as they are read. Pure; any thread.
bool is_exact_as_double(const nlohmann::json& number);

}  // namespace annolog::platform
