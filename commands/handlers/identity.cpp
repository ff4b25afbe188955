// The directory shard: users, sessions, API keys, groups and invitations.
#include "commands/handlers/handlers.hpp"
#include "commands/state/fold_directory.hpp"

namespace annolog::commands {
namespace {

// The role that the actor has now: what a token or another node says of it may be old.
Context as_it_is_now(const Handling& on) {
  Context context = on.context;
  if (context.actor == kSystemUser) return context;
  const UserState actor = on.state.user(context.actor);
  context.role = actor.active ? actor.role : Role::viewer;
  return context;
}

Handled told(Events events, ReplyKind kind, std::int64_t id) {
  return {std::move(events), {kind, {id}, {}}};
}

template <class Tag>
Id<Tag> next_id(const Handling& on, std::string_view counter) {
  return Id<Tag>{on.state.counter(counter) + 1};
}

Taken taken_by(const Handling& on, const std::string& username_digest,
               const std::optional<std::string>& email_digest) {
  Taken taken;
  taken.username = on.state.exists(Key(Table::username).text(username_digest));
  if (email_digest) taken.email = on.state.exists(Key(Table::email).text(*email_digest));
  return taken;
}

std::vector<InvitationId> invitations_to(const Handling& on, const std::string& email_digest) {
  const auto found = on.state.find<InvitationIds>(Key(Table::invitations_to).text(email_digest));
  return found ? found->ids : std::vector<InvitationId>();
}

UserCase user_case(const Handling& on, UserId id) {
  UserCase found;
  found.user = on.state.user(id);
  found.is_last_admin =
      found.user.is_active_admin() && on.state.count(Key(Table::active_admins)) == 1;
  return found;
}

// What invitations to this address have sealed goes too, but not the key of another user: who
// accepts an invitation takes its key over, and bears the address as username.
void gather_invitations(const Handling& on, const std::string& email_digest, UserCase& into) {
  const auto bearer = on.state.number(Key(Table::username).text(email_digest));
  const std::string kept = bearer ? on.state.user(UserId{*bearer}).username.key_id : "";
  const std::string own = into.user.username.key_id;
  for (const InvitationId id : invitations_to(on, email_digest)) {
    const InvitationState invitation = on.state.invitation(id);
    const std::string& key = invitation.email.key_id;
    if (key == own || key == kept) continue;
    into.keys.push_back(key);
    if (invitation.status(on.context.now) == InvitationStatus::pending)
      into.invitations.push_back(id);
  }
}

bool is_address_taken(const Handling& on, const std::string& email_digest) {
  const Taken taken = taken_by(on, email_digest, email_digest);
  return taken.username || taken.email;
}

bool is_pending(const Handling& on, InvitationId id) {
  return on.state.invitation(id).status(on.context.now) == InvitationStatus::pending;
}

template <class C>
Result<Handled> decide_user(const Handling& on, const UserCase& user, const C& command) {
  BOOST_OUTCOME_TRY(auto events, decide(user, command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::user, command.user_id.value);
}

template <class C>
Result<Handled> open_session(const Handling& on, const C& command) {
  const auto id = next_id<SessionTag>(on, "session");
  BOOST_OUTCOME_TRY(auto events, decide(on.state.user(command.user_id), command, on.context, id));
  return told(std::move(events), ReplyKind::session, id.value);
}

template <class C>
Result<Handled> decide_api_key(const Handling& on, const C& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.api_key(command.key_id), command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::api_key, command.key_id.value);
}

std::optional<std::int64_t> group_of_name(const Handling& on, const std::string& name) {
  return on.state.number(Key(Table::group_name).text(group_name_key(name)));
}

std::size_t marks_below(const Handling& on, const Key& prefix) {
  std::size_t count = 0;
  on.state.store().scan(prefix.bytes(), {}, [&](std::string_view, std::string_view) {
    ++count;
    return true;
  });
  return count;
}

// When the caller invited somebody in the last 24 hours, oldest first.
std::vector<Timestamp> invited_lately(const Handling& on) {
  const Key all = Key(Table::invited_at).id(on.context.actor);
  const Key first =
      Key(Table::invited_at).id(on.context.actor).number(on.context.now.ms - kInvitationDayMs + 1);
  std::vector<Timestamp> times;
  on.state.store().scan(all.bytes(), first.bytes(), [&](std::string_view key, std::string_view) {
    times.push_back({last_number(key.substr(0, key.size() - sizeof(std::int64_t)))});
    return true;
  });
  return times;
}

}  // namespace

Result<Handled> handle(const Handling& on, const CreateUser& command) {
  const auto id = next_id<UserTag>(on, "user");
  BOOST_OUTCOME_TRY(auto events,
                    decide(command, as_it_is_now(on),
                           taken_by(on, command.username_digest, command.email_digest), id));
  return told(std::move(events), ReplyKind::user, id.value);
}

Result<Handled> handle(const Handling& on, const RenameUser& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const ChangeUserRole& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const DeactivateUser& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const ActivateUser& command) {
  UserCase found = user_case(on, command.user_id);
  const auto& email = found.user.email_digest;
  found.email_taken = email && on.state.exists(Key(Table::email).text(*email));
  return decide_user(on, found, command);
}

Result<Handled> handle(const Handling& on, const ChangeUserGroup& command) {
  UserCase found = user_case(on, command.user_id);
  found.group_exists = command.group_id && on.state.group(*command.group_id).version != 0;
  return decide_user(on, found, command);
}

Result<Handled> handle(const Handling& on, const ChangePreferences& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const ResetPassword& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const UnlinkOidc& command) {
  return decide_user(on, user_case(on, command.user_id), command);
}

Result<Handled> handle(const Handling& on, const RecordUserExport& command) {
  BOOST_OUTCOME_TRY(auto events, decide(command, as_it_is_now(on)));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const EraseUser& command) {
  UserCase found = user_case(on, command.user_id);
  found.keys.push_back(found.user.username.key_id);
  if (const auto& email = found.user.email_digest) gather_invitations(on, *email, found);
  return decide_user(on, found, command);
}

Result<Handled> handle(const Handling& on, const SignIn& command) {
  return open_session(on, command);
}

Result<Handled> handle(const Handling& on, const SignInByOidc& command) {
  auto who = on.state.number(Key(Table::oidc_subject).text(command.subject_digest));
  if (!who && command.email_digest)
    who = on.state.number(Key(Table::email).text(*command.email_digest));
  const auto id = next_id<SessionTag>(on, "session");
  BOOST_OUTCOME_TRY(auto events, decide(who ? on.state.user(UserId{*who}) : UserState{}, command,
                                        on.context, id));
  return told(std::move(events), ReplyKind::session, id.value);
}

Result<Handled> handle(const Handling& on, const SignOutEverywhere& command) {
  return open_session(on, command);
}

Result<Handled> handle(const Handling& on, const ChangePassword& command) {
  return open_session(on, command);
}

Result<Handled> handle(const Handling& on, const RefreshSession& command) {
  SessionCase found;
  found.session = on.state.session(command.session_id);
  found.user = on.state.user(found.session.user_id);
  found.refreshes = on.state.find<RefreshTimes>(Key(Table::refresh_times).id(found.session.user_id))
                        .value_or(RefreshTimes{});
  BOOST_OUTCOME_TRY(auto events, decide(found, command, on.context));
  return told(std::move(events), ReplyKind::session, command.session_id.value);
}

Result<Handled> handle(const Handling& on, const EndSession& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.session(command.session_id), command, on.context));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const CreateApiKey& command) {
  NewApiKeyCase found;
  found.next_id = next_id<ApiKeyTag>(on, "api_key");
  found.live_keys =
      static_cast<std::int64_t>(marks_below(on, Key(Table::api_keys_of).id(on.context.actor)));
  found.prefix_taken = on.state.exists(Key(Table::api_key_prefix).text(command.prefix));
  BOOST_OUTCOME_TRY(auto events, decide(found, command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::api_key, found.next_id.value);
}

Result<Handled> handle(const Handling& on, const RevokeApiKey& command) {
  return decide_api_key(on, command);
}

Result<Handled> handle(const Handling& on, const NoteApiKeyUse& command) {
  return decide_api_key(on, command);
}

Result<Handled> handle(const Handling& on, const CreateGroup& command) {
  const auto id = next_id<GroupTag>(on, "group");
  const GroupCase found{{}, group_of_name(on, command.name).has_value()};
  BOOST_OUTCOME_TRY(auto events, decide(found, command, as_it_is_now(on), id));
  return told(std::move(events), ReplyKind::group, id.value);
}

Result<Handled> handle(const Handling& on, const UpdateGroup& command) {
  GroupCase found{on.state.group(command.group_id)};
  if (command.name) {
    const auto holder = group_of_name(on, *command.name);
    found.name_taken = holder && *holder != command.group_id.value;
  }
  BOOST_OUTCOME_TRY(auto events, decide(found, command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::group, command.group_id.value);
}

Result<Handled> handle(const Handling& on, const DeleteGroup& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(GroupCase{on.state.group(command.group_id)}, command, as_it_is_now(on)));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const Invite& command) {
  InviteCase found;
  found.next_id = next_id<InvitationTag>(on, "invitation");
  found.email_taken = is_address_taken(on, command.email_digest);
  if (command.group_name) {
    if (const auto id = group_of_name(on, *command.group_name)) found.group_id = GroupId{*id};
  }
  for (const InvitationId id : invitations_to(on, command.email_digest)) {
    if (is_pending(on, id)) found.pending.push_back(id);
  }
  found.lately = invited_lately(on);
  BOOST_OUTCOME_TRY(auto events, decide(found, command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::invitation, found.next_id.value);
}

Result<Handled> handle(const Handling& on, const ResendInvitation& command) {
  ResendCase found{on.state.invitation(command.invitation_id)};
  const std::string& email = found.invitation.email_digest;
  found.email_taken = is_address_taken(on, email);
  for (const InvitationId id : invitations_to(on, email))
    if (id != command.invitation_id && is_pending(on, id)) found.newer_pending = true;
  BOOST_OUTCOME_TRY(auto events, decide(found, command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::invitation, command.invitation_id.value);
}

Result<Handled> handle(const Handling& on, const RevokeInvitation& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(on.state.invitation(command.invitation_id), command, as_it_is_now(on)));
  return told(std::move(events), ReplyKind::invitation, command.invitation_id.value);
}

Result<Handled> handle(const Handling& on, const AcceptInvitation& command) {
  AcceptCase found;
  const auto id = on.state.number(Key(Table::invitation_of).text(command.token_digest));
  if (id) found.invitation = on.state.invitation(InvitationId{*id});
  found.inviter = on.state.user(found.invitation.inviter_id);
  found.taken = taken_by(on, command.email_digest, command.email_digest);
  const auto& group = found.invitation.group_id;
  found.group_exists = group && on.state.group(*group).version != 0;
  found.next_user_id = next_id<UserTag>(on, "user");
  BOOST_OUTCOME_TRY(auto events, decide(found, command, on.context));
  return told(std::move(events), ReplyKind::user, found.next_user_id.value);
}

}  // namespace annolog::commands
