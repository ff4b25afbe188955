// Facts about sessions: what a sign-in opens, and a refresh token keeps open. They live in the
// directory shard. Of tokens only digests are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct SessionOpened {
  static constexpr std::string_view kType = "session.opened";
  static constexpr int kVersion = 1;
  SessionId session_id;
  UserId user_id;
  std::int64_t generation = 0;  // the user's; the session is void once that has risen
  std::string refresh_digest;
  Timestamp expires_at;  // of the refresh token
  bool operator==(const SessionOpened&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionOpened, (),
                      (session_id, user_id, generation, refresh_digest, expires_at))

// The refresh token before this one is used up.
struct SessionRefreshed {
  static constexpr std::string_view kType = "session.refreshed";
  static constexpr int kVersion = 1;
  SessionId session_id;
  UserId user_id;
  std::string refresh_digest;
  Timestamp expires_at;
  bool operator==(const SessionRefreshed&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionRefreshed, (), (session_id, user_id, refresh_digest, expires_at))

// `reused`: a used refresh token came again, so somebody has a copy.
enum class SessionEnd : std::uint8_t { signed_out, reused };
BOOST_DESCRIBE_ENUM(SessionEnd, signed_out, reused)

// Its access tokens are void too.
struct SessionEnded {
  static constexpr std::string_view kType = "session.ended";
  static constexpr int kVersion = 1;
  SessionId session_id;
  UserId user_id;
  SessionEnd why = SessionEnd::signed_out;
  bool operator==(const SessionEnded&) const = default;
};
BOOST_DESCRIBE_STRUCT(SessionEnded, (), (session_id, user_id, why))

}  // namespace annolog
