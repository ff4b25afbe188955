// The audit's row of a command's request: what the edge knew, and what the decision adds. On the
// shard's writer thread.
#pragma once

#include <span>

#include "commands/bus.hpp"
#include "commands/committed_event.hpp"
#include "commands/state/shard_state.hpp"

namespace annolog::commands {

struct DecidedRequest {
  const Envelope& envelope;
  const Result<Reply>& reply;
  std::span<const CommittedEvent> events;  // none when it was refused or replayed
  bool replayed = false;
  Timestamp now;
};

// The batch that a display id names, before the command is decided.
void find_target(RequestFacts& facts, ShardState& state);

// Without its place in the chain. What the path did not name is found in the reply (what was
// created) or in the state (the project of a task). `facts`: the envelope's.
RequestRecorded recorded_request(const DecidedRequest& request, RequestFacts facts,
                                 ShardState& state);

}  // namespace annolog::commands
