// Sessions: refresh tokens are used once, for a time, so many a minute.
#include "domain/session/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::session_test {
namespace {

Timestamp before(std::int64_t ms) { return {kNow.ms - ms}; }

constexpr UserId kUser{9};
constexpr SessionId kSession{40};
constexpr std::int64_t kLifeMs = 1'000'000;
constexpr std::int64_t kMostPerMinute = 3;

UserState user(std::int64_t generation = 2) {
  UserState state;
  state.id = kUser;
  state.generation = generation;
  return state;
}

SessionCase open_session() {
  SessionCase on;
  on.user = user();
  on.session = {.id = kSession,
                .user_id = kUser,
                .generation = 2,
                .refresh_digest = "now",
                .expires_at = kNow + kLifeMs};
  return on;
}

RefreshSession with(const std::string& digest) {
  return {kSession, digest, {"next", kLifeMs}, kMostPerMinute};
}

Outcome refresh(const SessionCase& on, const std::string& digest = "now", Timestamp at = kNow,
                UserId who = kUser) {
  return Outcome(decide(on, with(digest), as(who, at)));
}

TEST(Sessions, a_sign_in_opens_one) {
  Outcome(decide(user(), SignIn{kUser, 2, {"now", kLifeMs}}, as(kUser), kSession))
      .then({UserSignedIn{kUser}, SessionOpened{kSession, kUser, 2, "now", kNow + kLifeMs}});
}

TEST(Sessions, only_active_users_sign_in) {
  UserState away = user();
  away.active = false;
  const SignIn command{kUser, 2, {"now", kLifeMs}};
  Outcome(decide(away, command, as(kUser), kSession)).then_fails("INVALID_CREDENTIALS");
  Outcome(decide(UserState{}, command, as(kUser), kSession)).then_fails("INVALID_CREDENTIALS");
}

TEST(Sessions, a_password_that_was_right_before_all_sessions_ended_is_no_proof) {
  const SignIn command{kUser, 1, {"now", kLifeMs}};
  Outcome(decide(user(), command, as(kUser), kSession)).then_fails("INVALID_CREDENTIALS");
}

Outcome by_provider(const UserState& found, const std::string& subject) {
  const SignInByOidc command{subject, "address", {"now", kLifeMs}};
  return Outcome(decide(found, command, as(kSystemUser), kSession));
}

TEST(Sessions, the_first_sign_in_by_a_provider_links_its_account) {
  const SessionOpened opened{kSession, kUser, 2, "now", kNow + kLifeMs};
  UserState found = user();
  by_provider(found, "subject")
      .then({UserOidcLinked{kUser, "subject"}, UserSignedIn{kUser}, opened});
  evolve(found, UserOidcLinked{kUser, "subject"}, {kSystemUser, kNow});
  by_provider(found, "subject").then({UserSignedIn{kUser}, opened});
  by_provider(found, "another").then_fails("OIDC_OTHER_ACCOUNT");
}

TEST(Sessions, only_active_users_sign_in_by_a_provider) {
  UserState away = user();
  away.active = false;
  by_provider(away, "subject").then_fails("OIDC_NO_ACCOUNT");
  away.oidc_digest = "subject";
  by_provider(away, "subject").then_fails("OIDC_NO_ACCOUNT");
  by_provider(UserState{}, "subject").then_fails("OIDC_NO_ACCOUNT");
}

TEST(Sessions, a_refresh_gives_the_next_token_and_uses_up_this_one) {
  SessionCase on = open_session();
  const SessionRefreshed refreshed{kSession, kUser, "next", kNow + kLifeMs};
  refresh(on).then({refreshed});
  evolve(on.session, refreshed);
  refresh(on, "next").then({SessionRefreshed{kSession, kUser, "next", kNow + kLifeMs}});
  refresh(on, "now").then({SessionEnded{kSession, kUser, SessionEnd::reused}});
}

TEST(Sessions, a_token_that_was_never_given_ends_the_session_too) {
  refresh(open_session(), "invented").then({SessionEnded{kSession, kUser, SessionEnd::reused}});
}

TEST(Sessions, none_but_its_own_user_may_refresh_it) {
  refresh(open_session(), "now", kNow, kOther).then_fails("INVALID_REFRESH_TOKEN");
  SessionCase none;
  refresh(none).then_fails("INVALID_REFRESH_TOKEN");
}

TEST(Sessions, a_token_is_honoured_7_days_after_its_expiry) {
  constexpr std::int64_t kWeekMs = 7LL * 24 * 3600 * 1000;
  const Timestamp expiry = kNow + kLifeMs;
  const Timestamp last = expiry + kWeekMs;
  refresh(open_session(), "now", last)
      .then({SessionRefreshed{kSession, kUser, "next", last + kLifeMs}});
  refresh(open_session(), "now", last + 1).then_fails("INVALID_REFRESH_TOKEN");
}

TEST(Sessions, end_with_their_user) {
  SessionCase on = open_session();
  on.user.active = false;
  refresh(on).then_fails("INVALID_REFRESH_TOKEN");
  on = open_session();
  on.user.generation = 3;
  refresh(on).then_fails("INVALID_REFRESH_TOKEN");
  on = open_session();
  on.user.erased = true;
  refresh(on).then_fails("INVALID_REFRESH_TOKEN");
}

TEST(Sessions, so_many_refreshes_a_minute) {
  SessionCase on = open_session();
  on.refreshes.at = {before(61'000), before(59'000), before(1'000), kNow};
  const Outcome refused = refresh(on);
  refused.then_fails("REFRESH_RATE_LIMITED");
  EXPECT_EQ(refused.result().error().retry_after_s, 1);
  EXPECT_EQ(refresh(on, "now", kNow + 1'000).code(), "ok");
}

TEST(Sessions, refreshes_of_the_last_minute_are_remembered) {
  RefreshTimes times;
  const SessionRefreshed event{kSession, kUser, "next", kNow};
  for (const std::int64_t at : {0, 30'000, 59'999, 60'000})
    evolve(times, event, {kUser, kNow + at});
  EXPECT_EQ(times.at, (std::vector<Timestamp>{kNow + 30'000, kNow + 59'999, kNow + 60'000}));
}

TEST(Sessions, sign_out_ends_it_once) {
  SessionState session = open_session().session;
  const EndSession command{kSession};
  const SessionEnded ended{kSession, kUser, SessionEnd::signed_out};
  Outcome(decide(session, command, as(kUser))).then({ended});
  Outcome(decide(session, command, as(kOther))).then_nothing();
  Outcome(decide(SessionState{}, command, as(kUser))).then_nothing();
  evolve(session, ended);
  Outcome(decide(session, command, as(kUser))).then_nothing();
}

TEST(Sessions, signing_out_everywhere_opens_one_of_the_next_generation) {
  Outcome(decide(user(), SignOutEverywhere{kUser, {"now", kLifeMs}}, as(kUser), kSession))
      .then({UserSignedOutEverywhere{kUser, 3},
             SessionOpened{kSession, kUser, 3, "now", kNow + kLifeMs}});
}

TEST(Sessions, another_password_ends_all_others) {
  const ChangePassword command{kUser, {"k", "hash"}, 2, {"now", kLifeMs}};
  Outcome(decide(user(), command, as(kUser), kSession))
      .then({UserPasswordChanged{kUser, {"k", "hash"}, 3},
             SessionOpened{kSession, kUser, 3, "now", kNow + kLifeMs}});
}

TEST(Sessions, an_old_password_proves_nothing_once_another_was_set) {
  const ChangePassword command{kUser, {"k", "hash"}, 2, {"now", kLifeMs}};
  Outcome(decide(user(3), command, as(kUser), kSession)).then_fails("SIGNED_OUT");
}

}  // namespace
}  // namespace annolog::testing::session_test
