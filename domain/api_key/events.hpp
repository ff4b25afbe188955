// Facts about API keys; they live in the directory shard. Of the secret only a digest is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct ApiKeyCreated {
  static constexpr std::string_view kType = "api_key.created";
  static constexpr int kVersion = 1;
  ApiKeyId key_id;
  UserId owner_id;
  std::string name;
  std::string prefix;  // the open part of the key, by which it is found
  std::string secret_digest;
  std::optional<Timestamp> expires_at;
  bool operator==(const ApiKeyCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApiKeyCreated, (),
                      (key_id, owner_id, name, prefix, secret_digest, expires_at))

struct ApiKeyRevoked {
  static constexpr std::string_view kType = "api_key.revoked";
  static constexpr int kVersion = 1;
  ApiKeyId key_id;
  UserId owner_id;
  bool operator==(const ApiKeyRevoked&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApiKeyRevoked, (), (key_id, owner_id))

// Noted once a minute at most.
struct ApiKeyUsed {
  static constexpr std::string_view kType = "api_key.used";
  static constexpr int kVersion = 1;
  ApiKeyId key_id;
  UserId owner_id;
  bool operator==(const ApiKeyUsed&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApiKeyUsed, (), (key_id, owner_id))

}  // namespace annolog
