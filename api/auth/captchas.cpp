#include "api/auth/captchas.hpp"

#include <cstdint>
#include <optional>

#include "domain/support/number.hpp"
#include "platform/captcha_image.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/random.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::api {
namespace {

using platform::Purpose;
using projections::Params;
using projections::Statement;

constexpr std::size_t kIdRandomBytes = 12;

constexpr Statement kUse{"captchas_use", R"sql(
WITH swept AS (
  DELETE FROM annolog.answered_captchas WHERE captcha IN (
    SELECT captcha FROM annolog.answered_captchas WHERE expires_at <= now()
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)
)
INSERT INTO annolog.answered_captchas (captcha, expires_at)
VALUES ($1::text, now() + make_interval(secs => $2::bigint))
ON CONFLICT DO NOTHING RETURNING 1::bigint
)sql"};

// `<random>.<ms since 1970 when it expires>`
std::optional<std::int64_t> expiry_of(std::string_view payload) {
  const auto dot = payload.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return number_from<std::int64_t>(payload.substr(dot + 1));
}

std::uint32_t four_bytes(const platform::Sha256Digest& mac, std::size_t at) {
  return static_cast<std::uint32_t>(mac[at]) << 24U |
         static_cast<std::uint32_t>(mac[at + 1]) << 16U |
         static_cast<std::uint32_t>(mac[at + 2]) << 8U | mac[at + 3];
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string Captchas::new_id(Timestamp now) const {
  const std::int64_t expires = now.ms + std::chrono::milliseconds(kLifetime).count();
  return signer_.sign(Purpose::captcha,
                      platform::to_base64url(platform::random_bytes(kIdRandomBytes)) + "." +
                          std::to_string(expires));
}

// The lasting key: a captcha that was drawn before a rotation is still good after it.
std::string Captchas::letters(std::string_view id) const {
  const auto mac =
      platform::hmac_sha256(keyring_->lasting(Purpose::captcha), "answer\n" + std::string(id));
  std::string letters;
  for (std::size_t i = 0; i < kLetters; ++i) {
    // Of 32 bits each letter is as likely as any other, as far as matters here.
    letters +=
        platform::kCaptchaAlphabet[four_bytes(mac, 4 * i) % platform::kCaptchaAlphabet.size()];
  }
  return letters;
}

std::string Captchas::image(std::string_view id) const {
  const auto mac =
      platform::hmac_sha256(keyring_->lasting(Purpose::captcha), "picture\n" + std::string(id));
  return platform::captcha_png(letters(id), four_bytes(mac, 0));
}

bool Captchas::answer(std::string_view id, std::string_view answer, Timestamp now) {
  const auto payload = signer_.verify(Purpose::captcha, id);
  const auto expires = payload ? expiry_of(*payload) : std::nullopt;
  if (!expires || *expires <= now.ms) return false;
  const bool fresh =
      projections::fetch_one(*store_, kUse, Params().add(*payload).add(kLifetime.count()),
                             [](auto& row) { return row.integer(); })
          .has_value();
  std::string given;
  for (const char c : answer) given += upper(c);
  return platform::constant_time_equal(given, letters(id)) && fresh;
}

}  // namespace annolog::api
