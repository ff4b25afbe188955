#include "commands/state/fold_directory.hpp"

#include <algorithm>

#include "commands/state/fold.hpp"

namespace annolog::commands {
namespace {

// Nobody may refresh it then, and the access tokens that it gave have expired.
constexpr std::int64_t kForgetSessionMs = kRefreshGraceMs + 24LL * 3600 * 1000;

Key age_key(const SessionState& session) {
  return Key(Table::session_age).number(session.expires_at.ms + kForgetSessionMs).id(session.id);
}

// The first keys below `prefix`, up to `end`.
std::vector<std::string> keys_before(const ShardState& state, const Key& prefix, const Key& end) {
  std::vector<std::string> keys;
  state.store().scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view) {
    if (key >= end.bytes()) return false;
    keys.emplace_back(key);
    return keys.size() < kMaxForgottenAtOnce;
  });
  return keys;
}

}  // namespace

template <class E>
UserState FoldDirectory::of_user(const E& e) {
  UserState before = state_.user(e.user_id);
  UserState after = before;
  evolve(after, e, how_);
  state_.save(before, after);
  return before;
}

void FoldDirectory::operator()(const UserCreated& e) {
  state_.save(UserState{}, born(e, how_));
  state_.put_number(Key(Table::username).text(e.username_digest), e.user_id.value);
  if (e.email_digest) state_.put_number(Key(Table::email).text(*e.email_digest), e.user_id.value);
  state_.raise_counter("user", e.user_id.value);
}

void FoldDirectory::operator()(const UserSignedIn& e) { of_user(e); }
void FoldDirectory::operator()(const UserRenamed& e) { of_user(e); }
void FoldDirectory::operator()(const UserRoleChanged& e) { of_user(e); }
void FoldDirectory::operator()(const UserGroupChanged& e) { of_user(e); }
void FoldDirectory::operator()(const UserPreferencesChanged& e) { of_user(e); }
void FoldDirectory::operator()(const UserPasswordChanged& e) { of_user(e); }
void FoldDirectory::operator()(const UserSignedOutEverywhere& e) { of_user(e); }

void FoldDirectory::operator()(const UserDeactivated& e) {
  const UserState before = of_user(e);
  if (before.email_digest) state_.erase(Key(Table::email).text(*before.email_digest).bytes());
}

void FoldDirectory::operator()(const UserActivated& e) {
  const UserState before = of_user(e);
  if (before.email_digest)
    state_.put_number(Key(Table::email).text(*before.email_digest), e.user_id.value);
}

void FoldDirectory::forget_subject_of(const UserState& user) {
  if (user.oidc_digest) state_.erase(Key(Table::oidc_subject).text(*user.oidc_digest).bytes());
}

void FoldDirectory::operator()(const UserOidcLinked& e) {
  forget_subject_of(of_user(e));
  state_.put_number(Key(Table::oidc_subject).text(e.subject_digest), e.user_id.value);
}

void FoldDirectory::operator()(const UserOidcUnlinked& e) { forget_subject_of(of_user(e)); }

// Those that are sealed under one of these keys.
void FoldDirectory::forget_invitations(const std::string& email_digest,
                                       const std::vector<std::string>& keys) {
  const Key to = Key(Table::invitations_to).text(email_digest);
  auto all = state_.find<InvitationIds>(to).value_or(InvitationIds{});
  std::erase_if(all.ids, [&](InvitationId id) {
    return std::ranges::find(keys, state_.invitation(id).email.key_id) != keys.end();
  });
  if (all.ids.empty()) {
    state_.erase(to.bytes());
  } else {
    state_.put(to, all);
  }
}

void FoldDirectory::operator()(const UserErased& e) {
  const UserState before = of_user(e);
  forget_subject_of(before);
  state_.erase(Key(Table::username).text(before.username_digest).bytes());
  if (!before.email_digest) return;
  if (before.active) state_.erase(Key(Table::email).text(*before.email_digest).bytes());
  forget_invitations(*before.email_digest, e.key_ids);
}

void FoldDirectory::note_expiry(const SessionState& session) {
  state_.put_mark(age_key(session).take());
}

void FoldDirectory::forget_old_sessions() {
  const Key end = Key(Table::session_age).number(how_.at.ms);
  for (const auto& key : keys_before(state_, Key(Table::session_age), end)) {
    const SessionId id{last_number(key)};
    // One that was refreshed since has another entry.
    if (age_key(state_.session(id)).bytes() == key)
      state_.erase(Key(Table::session).id(id).bytes());
    state_.erase(key);
  }
}

void FoldDirectory::operator()(const SessionOpened& e) {
  forget_old_sessions();
  const SessionState session = born(e);
  state_.save(session);
  note_expiry(session);
  state_.raise_counter("session", e.session_id.value);
}

void FoldDirectory::operator()(const SessionRefreshed& e) {
  SessionState session = state_.session(e.session_id);
  evolve(session, e);
  state_.save(session);
  note_expiry(session);
  const Key times_key = Key(Table::refresh_times).id(e.user_id);
  auto times = state_.find<RefreshTimes>(times_key).value_or(RefreshTimes{});
  evolve(times, e, how_);
  state_.put(times_key, times);
}

void FoldDirectory::operator()(const SessionEnded& e) {
  SessionState session = state_.session(e.session_id);
  evolve(session, e);
  state_.save(session);
}

void FoldDirectory::operator()(const ApiKeyCreated& e) {
  state_.save(born(e, how_));
  state_.put_number(Key(Table::api_key_prefix).text(e.prefix), e.key_id.value);
  state_.put_mark(Key(Table::api_keys_of).id(e.owner_id).id(e.key_id).take());
  state_.raise_counter("api_key", e.key_id.value);
}

void FoldDirectory::operator()(const ApiKeyRevoked& e) {
  ApiKeyState key = state_.api_key(e.key_id);
  evolve(key, e, how_);
  state_.save(key);
  state_.erase(Key(Table::api_keys_of).id(e.owner_id).id(e.key_id).bytes());
}

void FoldDirectory::operator()(const ApiKeyUsed& e) {
  ApiKeyState key = state_.api_key(e.key_id);
  evolve(key, e, how_);
  state_.save(key);
}

void FoldDirectory::operator()(const GroupCreated& e) {
  state_.save(born(e, how_));
  state_.put_number(Key(Table::group_name).text(group_name_key(e.name)), e.group_id.value);
  state_.raise_counter("group", e.group_id.value);
}

// Two groups from before names were compared in every script may share a name: it is the later's.
void FoldDirectory::free_group_name(const GroupState& group) {
  const Key name = Key(Table::group_name).text(group_name_key(group.name));
  if (state_.number(name) == group.id.value) state_.erase(name.bytes());
}

void FoldDirectory::operator()(const GroupUpdated& e) {
  GroupState group = state_.group(e.group_id);
  if (e.name) {
    free_group_name(group);
    state_.put_number(Key(Table::group_name).text(group_name_key(*e.name)), e.group_id.value);
  }
  evolve(group, e, how_);
  state_.save(group);
}

void FoldDirectory::operator()(const GroupDeleted& e) {
  const GroupState group = state_.group(e.group_id);
  free_group_name(group);
  state_.erase(Key(Table::group).id(e.group_id).bytes());
}

template <class E>
void FoldDirectory::of_invitation(const E& e) {
  InvitationState invitation = state_.invitation(e.invitation_id);
  evolve(invitation, e, how_);
  state_.save(invitation);
}

void FoldDirectory::forget_old_invitations_of(UserId inviter) {
  const Key all = Key(Table::invited_at).id(inviter);
  const Key end = Key(Table::invited_at).id(inviter).number(how_.at.ms - kInvitationDayMs + 1);
  for (const auto& key : keys_before(state_, all, end)) state_.erase(key);
}

void FoldDirectory::operator()(const InvitationCreated& e) {
  forget_old_invitations_of(e.inviter_id);
  state_.save(born(e, how_));
  state_.put_number(Key(Table::invitation_of).text(e.token_digest), e.invitation_id.value);
  const Key to = Key(Table::invitations_to).text(e.email_digest);
  auto all = state_.find<InvitationIds>(to).value_or(InvitationIds{});
  all.ids.push_back(e.invitation_id);
  state_.put(to, all);
  state_.put_mark(
      Key(Table::invited_at).id(e.inviter_id).number(how_.at.ms).id(e.invitation_id).take());
  state_.raise_counter("invitation", e.invitation_id.value);
}

void FoldDirectory::operator()(const InvitationResent& e) {
  const std::string old = state_.invitation(e.invitation_id).token_digest;
  state_.erase(Key(Table::invitation_of).text(old).bytes());
  of_invitation(e);
  state_.put_number(Key(Table::invitation_of).text(e.token_digest), e.invitation_id.value);
}

void FoldDirectory::operator()(const InvitationRevoked& e) { of_invitation(e); }
void FoldDirectory::operator()(const InvitationAccepted& e) { of_invitation(e); }

}  // namespace annolog::commands
