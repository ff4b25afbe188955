// One group of commands of one writer: decided one after another, committed together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/bus.hpp"
#include "commands/committed_event.hpp"
#include "commands/handlers/handlers.hpp"
#include "commands/state/fold.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"

namespace annolog::commands {

// A command whose outcome is known, once the group's commit succeeds.
struct Decided {
  std::function<void(Outcome)> done;
  Outcome outcome;
  std::vector<CommittedEvent> events;
};

// What a writer keeps of each of its shards between groups.
struct OwnedShard {
  eventstore::ShardId id;
  ShardCache cache;
  std::int64_t last_ms = 0;  // time never goes back within a shard
};

class Group {
 public:
  // Told of every command that failed by a bug or unreadable state, with what was wrong.
  using OnFailure = std::function<void(const Envelope& envelope, const char* what)>;

  Group(eventstore::Transaction& transaction, std::uint16_t shard_count,
        const platform::Clock& clock, const HandlerOptions& options, OnFailure on_failure);

  // What a refusal leaves: the audit's row, or nothing, since the command will be decided again.
  enum class Refusal { is_recorded, is_passing };

  // Decides the command now; its records and state join the transaction, or nothing does but the
  // row of its request.
  void add(Envelope envelope, OwnedShard& shard, Refusal refusal = Refusal::is_recorded);

  // For a command that can't even be read.
  void refuse(DomainError error);

  std::vector<Decided>& decided() { return decided_; }

 private:
  struct Recorded {
    eventstore::Position position;
    Reply reply;
    std::vector<CommittedEvent> events;
    std::string mark;  // left to the row of the request, which comes last
  };
  Result<Recorded> decide_contained(const Envelope& envelope, OwnedShard& shard, bool& replayed);
  Result<Recorded> decide(const Envelope& envelope, OwnedShard& shard, bool& replayed);
  Result<Recorded> replay(const Envelope& envelope, const IdempotencyRow& row, ShardState& state,
                          OwnedShard& shard, Timestamp now);
  std::vector<CommittedEvent> record(const Envelope& envelope, ShardState& state, Handled& handled,
                                     Timestamp now);
  // Takes what the envelope says of its request.
  void record_request(Envelope& envelope, OwnedShard& shard, Decided& decided,
                      const std::string& mark);
  CommittedEvent append(const Envelope& envelope, ShardState& state, Event event,
                        const std::string& mark, Timestamp now);
  Timestamp tick(OwnedShard& shard) const;

  eventstore::Transaction& transaction_;
  std::uint16_t shard_count_;
  const platform::Clock& clock_;
  const HandlerOptions& options_;
  OnFailure on_failure_;
  std::vector<Decided> decided_;
};

// 503 with Retry-After.
DomainError queue_full();
DomainError too_late();
DomainError log_full();
DomainError decision_failed();
DomainError stopping();

}  // namespace annolog::commands
