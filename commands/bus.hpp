// The way to a decision: send a command, get its outcome. Any thread may send. `done` is called
// exactly once, on a writer's thread (or on the sender's when the command is not taken): be quick,
// hand over to your own executor.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "commands/command.hpp"
#include "commands/position.hpp"
#include "commands/reply.hpp"
#include "domain/audit/request.hpp"

namespace annolog::commands {

struct IdempotencyKey {
  std::string key;           // 1..128 printable characters, the caller's own
  std::string request_hash;  // of method, path and body
};

struct Envelope {
  Command command;
  UserId actor;
  Role role = Role::viewer;  // global role of the actor, as the edge knows it
  std::string request_id;
  std::string traceparent;
  std::string causation_id;  // id of the event that caused it, for process managers
  std::optional<IdempotencyKey> idempotency;
  std::optional<RequestFacts> request = {};  // the audit's row, written by the decision's commit
  std::int64_t deadline_ms = 0;              // monotonic; still waiting then: refused with 503
  std::function<void(Outcome)> done;
};

class CommandBus {
 public:
  virtual ~CommandBus() = default;
  virtual std::uint16_t shard_count() const = 0;
  // A full queue answers 503 OVERLOADED at once.
  virtual void send(Envelope envelope) = 0;
};

}  // namespace annolog::commands
