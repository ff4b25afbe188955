// Access tokens: JSON Web Tokens (RFC 7519) signed with HS256 (RFC 7515), keys by kid.
// Strict on purpose: alg must be HS256, no other header member may change the meaning (RFC 8725).
// Any thread; a token's first verification takes a few microseconds, the next ones less. The
// keyring must outlive the object.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/support/timestamp.hpp"
#include "platform/claims.hpp"
#include "platform/keyring.hpp"
#include "platform/verified_tokens.hpp"

namespace annolog::platform {

enum class JwtError {
  too_large,
  malformed,
  bad_algorithm,
  unknown_key,
  bad_signature,
  bad_claims,  // a claim is missing or of the wrong kind
  wrong_issuer,
  wrong_type,
  expired,
  from_future,  // iat more than 60 s ahead
};
std::string_view to_string(JwtError error);

template <class T>
using JwtOutcome =
    boost::outcome_v2::basic_result<T, JwtError, boost::outcome_v2::policy::terminate>;
using JwtResult = JwtOutcome<Claims>;

struct JwtCheck {
  Timestamp now;
  std::string_view typ = "access";
  std::int64_t expiry_grace_ms = 0;  // how long past exp it is still taken
};

class Jwt {
 public:
  static constexpr std::size_t kMaxTokenBytes = 4096;
  static constexpr std::int64_t kFutureToleranceMs = 60'000;

  Jwt(const Keyring& keyring, std::string issuer);

  std::string create(const Claims& claims) const;
  JwtResult verify(std::string_view token, const JwtCheck& check) const;

 private:
  JwtOutcome<SignedClaims> check_signature(std::string_view token) const;
  JwtResult judge(Claims claims, const JwtCheck& check) const;

  const Keyring* keyring_;
  std::string issuer_;
  mutable VerifiedTokens verified_;
};

}  // namespace annolog::platform
