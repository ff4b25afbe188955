// What people are called, as Unicode has it: names that look the same are written the same, are
// equal whatever their case, and are not put together from look-alikes. Input is valid UTF-8. Any
// thread. Throws std::runtime_error only when the Unicode library fails. Source: UAX #15 (NFC),
// UTS #39 (restriction levels), UTS #18.
#pragma once

#include <string>
#include <string_view>

#include "domain/support/case_fold.hpp"

namespace annolog::platform {

// Canonical composition (NFC): how a name is kept and shown.
std::string composed(std::string_view utf8);

// How names are compared.
using annolog::case_folded;

// False: scripts are mixed that no language mixes (a Cyrillic a among Latin letters), or it has
// characters that nobody sees. UTS #39, "Highly Restrictive".
bool is_one_persons_writing(std::string_view utf8);

// Whether the text begins with what words are made of: letters, marks, digits, "_" and its like.
// UTS #18, \w.
bool begins_with_word_character(std::string_view utf8);

}  // namespace annolog::platform
