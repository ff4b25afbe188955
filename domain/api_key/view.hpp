// How an API key is shown: never with its secret.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct ApiKeyView {
  ApiKeyId id;
  std::string name;
  std::string prefix;
  UserId owner_id;
  Timestamp created_at;
  std::optional<Timestamp> last_used_at;
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> revoked_at;
  bool operator==(const ApiKeyView&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApiKeyView, (),
                      (id, name, prefix, owner_id, created_at, last_used_at, expires_at,
                       revoked_at))

}  // namespace annolog
