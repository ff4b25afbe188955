// Patterns of ILIKE for names that someone looks for, and whether the trigram indexes can answer
// them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace annolog::projections {

std::string containing(std::string_view text);
std::string starting_with(std::string_view text);

// A part of a name from which pg_trgm makes trigrams wherever in the name it stands: three letters
// or digits in a row, or one that begins a word. Others would make it read the whole index.
bool has_trigrams(std::string_view text);
// At the beginning of a name one letter or digit is enough.
bool has_trigrams_at_start(std::string_view text);

}  // namespace annolog::projections
