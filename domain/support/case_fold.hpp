// What "without regard to case" compares, in every script. Input is valid UTF-8. Pure: Unicode's
// tables are as fixed as the language, and characters keep their folding in later versions of them.
#pragma once

#include <string>
#include <string_view>

namespace annolog {

// NFKC_Casefold (The Unicode Standard, 3.13): equal for names that are the same but for case,
// width, ligatures, composition and characters that nobody sees. For comparing only.
std::string case_folded(std::string_view utf8);

}  // namespace annolog
