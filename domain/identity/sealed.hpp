// A personal field as the log keeps it: ciphertext under the person's own key, which lies outside
// the log, so that erasing the key erases the field everywhere (architecture, "Events").
#pragma once

#include <string>

#include <boost/describe/class.hpp>

namespace annolog {

struct Sealed {
  std::string key_id;  // names the key in the key store; says nothing about the person
  std::string base64;  // base64url of the sealed bytes
  bool operator==(const Sealed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sealed, (), (key_id, base64))

}  // namespace annolog
