#include "api/auth/oidc_attempts.hpp"

#include "domain/support/number.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/random.hpp"

namespace annolog::api {
namespace {

constexpr std::size_t kAttemptIdLetters = 43;  // of 62: 256 bits

}  // namespace

OidcAttempt OidcAttempts::begin(std::string return_to) {
  return {platform::random_base62(kAttemptIdLetters), std::move(return_to)};
}

// `<expiry in ms>.<id>.<return_to>`
std::string OidcAttempts::cookie_of(const OidcAttempt& attempt, Timestamp now) const {
  const std::int64_t expires_ms = now.ms + std::chrono::milliseconds(kLifetime).count();
  return signer_.sign(platform::Purpose::oidc,
                      std::to_string(expires_ms) + "." + attempt.id + "." + attempt.return_to);
}

std::optional<OidcAttempt> OidcAttempts::open(std::string_view cookie, Timestamp now) const {
  const auto payload = signer_.verify(platform::Purpose::oidc, cookie);
  if (!payload) return std::nullopt;
  std::string_view rest = *payload;
  const auto expires_ms = take_number<std::int64_t>(rest);
  if (!expires_ms || now.ms >= *expires_ms || rest.size() < kAttemptIdLetters + 2)
    return std::nullopt;
  return OidcAttempt{std::string(rest.substr(1, kAttemptIdLetters)),
                     std::string(rest.substr(kAttemptIdLetters + 2))};
}

std::string OidcAttempts::derived(std::string_view what, const OidcAttempt& attempt) const {
  const auto mac = platform::hmac_sha256(key_, std::string(what) + "\n" + attempt.id);
  return platform::to_base64url(platform::as_bytes_view(mac));
}

}  // namespace annolog::api
