#include "api/auth/operator_token.hpp"

#include "domain/identity/context.hpp"
#include "domain/identity/permissions.hpp"
#include "platform/random.hpp"

namespace annolog::api {
namespace {

constexpr std::int64_t kLifetimeMs = 60'000;
constexpr std::size_t kTokenIdLetters = 22;

}  // namespace

std::string make_operator_token(const platform::Keyring& keyring, Timestamp now) {
  platform::Claims claims;
  claims.sub = kSystemUser;
  claims.role = to_string(Role::super_admin);
  claims.jti = platform::random_base62(kTokenIdLetters);
  claims.iat = now;
  claims.exp = now + kLifetimeMs;
  claims.typ = kOperatorToken;
  return platform::Jwt(keyring, std::string(kTokenIssuer)).create(claims);
}

}  // namespace annolog::api
