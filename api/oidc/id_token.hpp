// ID tokens: what an OpenID Connect provider says of the person who signed in (OpenID Connect Core
// 1.0, sections 2 and 3.1.3.7). Pure; any thread; bad input is an error value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>

#include "api/oidc/key_set.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::api::oidc {

inline constexpr std::size_t kMaxIdTokenBytes = 16 * 1024;
inline constexpr std::size_t kMaxSubjectBytes = 255;
inline constexpr std::int64_t kClockToleranceMs = 60'000;
inline constexpr std::int64_t kMaxIdTokenAgeMs = 600'000;

enum class IdTokenError {
  too_large,
  malformed,
  bad_algorithm,  // not accepted, or not one of the key that is named
  unknown_key,    // none with this kid; without a kid: not exactly one that fits
  bad_signature,
  bad_claims,  // a claim is missing or of the wrong kind
  wrong_issuer,
  wrong_audience,  // issued to another client, or to several and azp is not this one
  wrong_nonce,     // belongs to another sign-in
  expired,
  from_future,  // by iat or nbf
  too_old,      // by iat
};
std::string_view to_string(IdTokenError error);

template <class T>
using IdTokenOutcome =
    boost::outcome_v2::basic_result<T, IdTokenError, boost::outcome_v2::policy::terminate>;

struct IdTokenExpectation {
  std::string_view issuer;
  std::string_view client_id;
  std::string_view nonce;  // of this sign-in; no token fits an empty one
  Timestamp now;
};

// `sub` alone, beside the issuer, says who it is, for ever. The rest is what the provider tells
// about them today: nothing where it is missing or no string.
struct IdTokenClaims {
  std::string sub;
  std::optional<std::string> email;
  bool email_verified = false;
  std::optional<std::string> name;
  std::optional<std::string> preferred_username;
  bool operator==(const IdTokenClaims&) const = default;
};

IdTokenOutcome<IdTokenClaims> verify_id_token(std::string_view token, const KeySet& keys,
                                              const IdTokenExpectation& expected);

}  // namespace annolog::api::oidc
