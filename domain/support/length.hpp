// How long a text may be, in characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/error.hpp"
#include "domain/support/text.hpp"

namespace annolog {

inline void check_length(std::string_view value, std::size_t least, std::size_t most,
                         const char* field, std::vector<FieldError>& errors) {
  const auto length = character_count(value);
  if (length >= least && length <= most) return;
  errors.push_back(
      {{field},
       "Must have " + std::to_string(least) + " to " + std::to_string(most) + " characters.",
       "length"});
}

}  // namespace annolog
