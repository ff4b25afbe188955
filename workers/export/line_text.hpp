// Text as a line of a list, whose readers cut blanks off both ends: all that Python's str.strip()
// takes for one. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace annolog::workers {

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

// No control characters, blanks in their place, and trimmed. May be empty.
std::string one_line(std::string_view text);

}  // namespace annolog::workers
