// RFC 3339: a time that was read is written so that it reads back.
#include "domain/support/timestamp.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

void try_input(std::string_view input) {
  const auto at = from_rfc3339(input);
  if (!at) return;
  const std::string text = to_rfc3339(*at);
  require(text.size() == 24 && text.back() == 'Z', "a time has one form");
  require(from_rfc3339(text) == at, "a time reads back");
}

}  // namespace annolog::fuzz
