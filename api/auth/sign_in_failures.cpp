#include "api/auth/sign_in_failures.hpp"

#include "domain/support/text.hpp"
#include "platform/encoding.hpp"
#include "platform/name_text.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::api {
namespace {

using projections::Params;
using projections::RowReader;
using projections::Statement;

constexpr Statement kCount{"sign_in_failures_count", R"sql(
SELECT failures::bigint FROM annolog.sign_in_failures
WHERE caller = $1::text AND last_at > now() - make_interval(secs => $2::bigint)
)sql"};
// What is over is swept by whoever comes next, a little at a time.
constexpr Statement kAdd{"sign_in_failures_add", R"sql(
WITH swept AS (
  DELETE FROM annolog.sign_in_failures WHERE caller IN (
    SELECT caller FROM annolog.sign_in_failures
    WHERE last_at <= now() - make_interval(secs => $2::bigint) AND caller <> $1::text
    ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED)
)
INSERT INTO annolog.sign_in_failures AS f (caller, failures, last_at) VALUES ($1::text, 1, now())
ON CONFLICT (caller) DO UPDATE SET last_at = now(), failures =
  CASE WHEN f.last_at > now() - make_interval(secs => $2::bigint)
       THEN least(f.failures, 1000000) + 1 ELSE 1 END
RETURNING failures::bigint
)sql"};
constexpr Statement kClear{"sign_in_failures_clear",
                           "DELETE FROM annolog.sign_in_failures WHERE caller = $1::text"};

std::int64_t first_integer(RowReader& row) { return row.integer(); }

}  // namespace

std::string SignInFailures::caller(std::string_view address, std::string_view username) const {
  std::string pair(address);
  pair += '\n';
  pair += platform::case_folded(trimmed(username));
  return platform::to_hex(platform::as_bytes_view(platform::hmac_sha256(key_, pair)));
}

bool SignInFailures::captcha_required(std::string_view address, std::string_view username) const {
  const auto failures = projections::fetch_one(
      *store_, kCount, Params().add(caller(address, username)).add(limits_.window.count()),
      first_integer);
  return failures.value_or(0) >= limits_.before_captcha;
}

bool SignInFailures::add(std::string_view address, std::string_view username) {
  const auto failures = projections::fetch_one(
      *store_, kAdd, Params().add(caller(address, username)).add(limits_.window.count()),
      first_integer);
  return failures.value_or(0) >= limits_.before_captcha;
}

void SignInFailures::clear(std::string_view address, std::string_view username) {
  store_->with_connection([&](projections::PgConnection& connection) {
    connection.execute(kClear, Params().add(caller(address, username)));
  });
}

}  // namespace annolog::api
