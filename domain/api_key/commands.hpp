// Wishes about API keys, and what may come of them (spec, "Authentication" 5; decisions, section
// 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"

namespace annolog {

inline constexpr std::int64_t kMaxKeyDays = 365;
inline constexpr std::int64_t kMaxLiveKeys = 100;      // of one owner
inline constexpr std::int64_t kKeyUseStepMs = 60'000;  // between two notes of a key's use

struct CreateApiKey {
  std::string name;
  std::string prefix;
  std::string secret_digest;
  std::optional<std::int64_t> expires_in_days;
};
BOOST_DESCRIBE_STRUCT(CreateApiKey, (), (name, prefix, secret_digest, expires_in_days))

struct RevokeApiKey {
  ApiKeyId key_id;
};
BOOST_DESCRIBE_STRUCT(RevokeApiKey, (), (key_id))

// By the service itself.
struct NoteApiKeyUse {
  ApiKeyId key_id;
};
BOOST_DESCRIBE_STRUCT(NoteApiKeyUse, (), (key_id))

struct ApiKeyState {
  ApiKeyId id;  // 0: does not exist
  UserId owner_id;
  std::string name;
  std::string prefix;
  Timestamp created_at;
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> revoked_at;
  std::optional<Timestamp> last_used_at;
  bool operator==(const ApiKeyState&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApiKeyState, (),
                      (id, owner_id, name, prefix, created_at, expires_at, revoked_at,
                       last_used_at))

struct NewApiKeyCase {
  ApiKeyId next_id;
  std::int64_t live_keys = 0;  // of the caller: neither revoked nor, as far as noted, expired
  bool prefix_taken = false;
};

Result<Events> decide(const NewApiKeyCase& on, const CreateApiKey& command, const Context& context);
Result<Events> decide(const ApiKeyState& key, const RevokeApiKey& command, const Context& context);
Result<Events> decide(const ApiKeyState& key, const NoteApiKeyUse& command, const Context& context);

ApiKeyState born(const ApiKeyCreated& event, const Happened& how);
void evolve(ApiKeyState& state, const ApiKeyRevoked& event, const Happened& how);
void evolve(ApiKeyState& state, const ApiKeyUsed& event, const Happened& how);

}  // namespace annolog
