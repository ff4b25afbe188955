// What a decider is told beside state and command: who asks, with which global role, and the time.
// The domain never asks a clock; the shard writer sets `now` once for each command.
#pragma once

#include <cstdint>

#include "domain/identity/permissions.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

// The service itself: process managers and the first start act under this id.
inline constexpr UserId kSystemUser{0};

struct Context {
  UserId actor;
  Role role = Role::viewer;  // global role of the actor
  Timestamp now;
};

// Who did it and when, as the record's headers say: what evolve is told beside the event.
struct Happened {
  UserId actor;
  Timestamp at;
};

// An aggregate has changed once more.
template <class State>
void touch(State& state, const Happened& how) {
  ++state.version;
  state.updated_at = how.at;
}

}  // namespace annolog
