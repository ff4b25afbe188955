// Already serialised JSON that is carried through unchanged: the pure domain may store and compare
// it but never looks inside. Whoever makes one has checked that `text` is one valid JSON value.
#pragma once

#include <string>

namespace annolog {

struct JsonText {
  std::string text = "null";
  bool operator==(const JsonText&) const = default;
};

}  // namespace annolog
