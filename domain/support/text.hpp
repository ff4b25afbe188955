// Text rules the whole domain shares. Input is valid UTF-8 (the edge refuses anything else).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace annolog {

// Number of code points.
std::size_t character_count(std::string_view utf8);

// ASCII letters in lower case: what "without regard to case" compares.
std::string lower_ascii(std::string_view text);

// Without leading and trailing ASCII white space.
std::string trimmed(std::string_view text);

}  // namespace annolog
