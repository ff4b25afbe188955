// Access tokens. First line: a token as it came; second and third: header and body of a token that
// is signed properly whatever they say, so that only the checks can refuse it.
#include <string>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/jwt.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/keys.hpp"

namespace annolog::fuzz {
namespace {

using platform::Jwt;

constexpr Timestamp kNow{1'750'000'000'000};

std::string signed_token(std::string_view header, std::string_view body) {
  const auto key = fixed_keyring().find(platform::Purpose::jwt, "k1");
  std::string token = platform::to_base64url(header) + "." + platform::to_base64url(body);
  const auto mac = platform::hmac_sha256(key.value(), token);
  return token + "." + platform::to_base64url(platform::as_bytes_view(mac));
}

void check(const Jwt& jwt, std::string_view token) {
  const auto result = jwt.verify(token, {.now = kNow});
  if (!result) {
    require(to_string(result.error()) != "unknown", "a refusal has a word");
    return;
  }
  const platform::Claims& claims = result.value();
  require(claims.typ == "access" && claims.exp > kNow, "a token is for this, and for now");
  require(claims.sub.value >= 0 && claims.sub.value <= kMaxId, "its user can exist");
  const auto again = jwt.verify(jwt.create(claims), {.now = kNow});
  require(again && again.value() == claims, "claims come back as they were");
}

}  // namespace

void try_input(std::string_view input) {
  static const Jwt jwt(fixed_keyring(), "https://annolog.example");
  const auto [token, after_token] = split(input);
  const auto [header, body] = split(after_token);
  check(jwt, token);
  check(jwt, signed_token(header, body));
}

}  // namespace annolog::fuzz
