#include "domain/user/state.hpp"

namespace annolog {

UserState born(const UserCreated& event, const Happened& how) {
  UserState state;
  state.id = event.user_id;
  state.role = event.role;
  state.username = event.username;
  state.name = event.name;
  state.email = event.email;
  state.username_digest = event.username_digest;
  state.email_digest = event.email_digest;
  state.version = 1;
  state.created_at = how.at;
  return state;
}

void evolve(UserState& state, const UserSignedIn& /*event*/, const Happened& how) {
  state.last_login_at = how.at;
}

void evolve(UserState& state, const UserRenamed& event, const Happened& /*how*/) {
  ++state.version;
  state.name = event.name;
}

void evolve(UserState& state, const UserRoleChanged& event, const Happened& /*how*/) {
  ++state.version;
  state.role = event.new_role;
}

void evolve(UserState& state, const UserDeactivated& event, const Happened& /*how*/) {
  ++state.version;
  state.active = false;
  state.generation = event.generation;
}

void evolve(UserState& state, const UserActivated& /*event*/, const Happened& /*how*/) {
  ++state.version;
  state.active = true;
}

void evolve(UserState& state, const UserGroupChanged& event, const Happened& /*how*/) {
  ++state.version;
  state.group_id = event.group_id;
}

void evolve(UserState& state, const UserPreferencesChanged& event, const Happened& /*how*/) {
  ++state.version;
  state.preferences = event.preferences;
}

void evolve(UserState& state, const UserPasswordChanged& event, const Happened& /*how*/) {
  ++state.version;
  state.generation = event.generation;
}

void evolve(UserState& state, const UserSignedOutEverywhere& event, const Happened& /*how*/) {
  ++state.version;
  state.generation = event.generation;
}

void evolve(UserState& state, const UserOidcLinked& event, const Happened& /*how*/) {
  ++state.version;
  state.oidc_digest = event.subject_digest;
}

void evolve(UserState& state, const UserOidcUnlinked& /*event*/, const Happened& /*how*/) {
  ++state.version;
  state.oidc_digest.reset();
}

void evolve(UserState& state, const UserErased& event, const Happened& /*how*/) {
  UserState rest;
  rest.id = state.id;
  rest.role = state.role;
  rest.active = false;
  rest.erased = true;
  rest.generation = state.generation + 1;
  rest.version = state.version + 1;
  rest.created_at = state.created_at;
  rest.erased_keys = event.key_ids;
  state = std::move(rest);
}

}  // namespace annolog
