// What events about people do to the directory's state: users, sessions, API keys, groups,
// invitations, and the indexes that follow from them.
#pragma once

#include <vector>

#include "commands/state/shard_state.hpp"
#include "domain/events.hpp"

namespace annolog::commands {

// All invitations to one address, oldest first.
struct InvitationIds {
  std::vector<InvitationId> ids;
};
BOOST_DESCRIBE_STRUCT(InvitationIds, (), (ids))

class FoldDirectory {
 public:
  FoldDirectory(ShardState& state, const Happened& how) : state_(state), how_(how) {}

  void operator()(const UserCreated& e);
  void operator()(const UserSignedIn& e);
  void operator()(const UserRenamed& e);
  void operator()(const UserRoleChanged& e);
  void operator()(const UserDeactivated& e);
  void operator()(const UserActivated& e);
  void operator()(const UserGroupChanged& e);
  void operator()(const UserPreferencesChanged& e);
  void operator()(const UserPasswordChanged& e);
  void operator()(const UserSignedOutEverywhere& e);
  void operator()(const UserOidcLinked& e);
  void operator()(const UserOidcUnlinked& e);
  void operator()(const UserListExported&) {}
  void operator()(const UserErased& e);

  void operator()(const SessionOpened& e);
  void operator()(const SessionRefreshed& e);
  void operator()(const SessionEnded& e);

  void operator()(const ApiKeyCreated& e);
  void operator()(const ApiKeyRevoked& e);
  void operator()(const ApiKeyUsed& e);

  void operator()(const GroupCreated& e);
  void operator()(const GroupUpdated& e);
  void operator()(const GroupDeleted& e);

  void operator()(const InvitationCreated& e);
  void operator()(const InvitationResent& e);
  void operator()(const InvitationRevoked& e);
  void operator()(const InvitationAccepted& e);

  void operator()(const NotificationRead&) {}
  void operator()(const NotificationsAllRead&) {}

 private:
  template <class E>
  UserState of_user(const E& e);  // as it was before
  template <class E>
  void of_invitation(const E& e);
  void free_group_name(const GroupState& group);
  void forget_invitations(const std::string& email_digest, const std::vector<std::string>& keys);
  void forget_subject_of(const UserState& user);
  void note_expiry(const SessionState& session);
  void forget_old_sessions();
  void forget_old_invitations_of(UserId inviter);

  ShardState& state_;
  const Happened& how_;
};

}  // namespace annolog::commands
