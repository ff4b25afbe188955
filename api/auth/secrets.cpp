#include "api/auth/secrets.hpp"

#include <cstdint>

#include "platform/digest.hpp"
#include "platform/random.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kLetters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr unsigned kFairBytes = 256 / 62 * 62;  // higher ones would favour the first letters

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

std::string context_of(const Call& call, std::string_view purpose, std::int64_t day) {
  return std::string(purpose) + "\n" + std::to_string(call.caller().id.value) + "\n" +
         std::to_string(day) + "\n" + *call.idempotency_key();
}

// Letters from HMAC-SHA-256 in counter mode (NIST SP 800-108).
std::string derived_letters(const platform::MacKey& key, const std::string& context,
                            std::size_t count) {
  std::string letters;
  for (int block = 1; letters.size() < count; ++block) {
    const auto bytes = platform::hmac_sha256(key, std::to_string(block) + "\n" + context);
    for (const std::uint8_t byte : bytes) {
      if (byte < kFairBytes && letters.size() < count) letters += kLetters[byte % kLetters.size()];
    }
  }
  return letters;
}

// `random` where there is no key to retry under, else what follows from each day.
template <class Random, class Derive>
ToldSecret told(const Call& call, std::string_view purpose, Random random, Derive derive) {
  if (!call.idempotency_key()) {
    const std::string secret = random();
    return {secret, secret};
  }
  const std::int64_t today = call.now().ms / kDayMs;
  return {derive(context_of(call, purpose, today)), derive(context_of(call, purpose, today - 1))};
}

}  // namespace

ToldSecret secret_bytes(const Call& call, const Services& services, std::string_view purpose) {
  return told(
      call, purpose, [] { return platform::random_bytes(kSecretBytes); },
      [&](const std::string& context) {
        return std::string(
            platform::as_bytes_view(platform::hmac_sha256(services.secrets_key, context)));
      });
}

ToldSecret secret_letters(const Call& call, const Services& services, std::string_view purpose,
                          std::size_t count) {
  return told(
      call, purpose, [&] { return platform::random_base62(count); },
      [&](const std::string& context) {
        return derived_letters(services.secrets_key, context, count);
      });
}

}  // namespace annolog::api
