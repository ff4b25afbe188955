// How deep JSON from a file is nested: copying and writing go as deep on the stack, so what is
// deeper than anything sensible is refused first. Pure; any thread.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>

namespace annolog::client {

inline constexpr int kMaxFileDepth = 32;  // the service takes 64, the body around it included

inline bool nested_deeper_than(int levels, const nlohmann::json& value) {
  if (!value.is_structured()) return false;
  return levels == 0 || std::ranges::any_of(value, [levels](const nlohmann::json& element) {
           return nested_deeper_than(levels - 1, element);
         });
}

}  // namespace annolog::client
