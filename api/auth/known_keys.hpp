// API keys by their open part, in memory: a request with a key costs no database round trip. Loaded
// from the read models at start, then kept up by what the projector has committed. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::api {

struct KnownKey {
  ApiKeyId id;
  UserId owner_id;
  std::string secret_digest;
  std::optional<Timestamp> expires_at;
};

class KnownKeys {
 public:
  void put(const std::string& prefix, KnownKey key);
  void revoke(ApiKeyId id);
  std::optional<KnownKey> find(std::string_view prefix) const;
  // Whether its use should be noted in the log: once a minute, as far as this process knows.
  bool note_use(ApiKeyId id, Timestamp now);

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, KnownKey> keys_;          // by prefix
  std::unordered_map<std::int64_t, std::string> prefixes_;  // by id
  std::unordered_map<std::int64_t, Timestamp> noted_;       // by id
};

// The parts of `ak_<prefix>_<secret>` (decisions, section 2); nothing when it has another form.
struct ApiKeyText {
  std::string_view prefix;
  std::string_view secret;
};
std::optional<ApiKeyText> parse_api_key(std::string_view text);

inline constexpr std::size_t kApiKeyPrefixLength = 8;
inline constexpr std::size_t kApiKeySecretLength = 43;

// Of the whole text.
std::string api_key_digest(std::string_view text);

}  // namespace annolog::api
