// The process "a unique name and what bears it", which spans the directory and the bearer's shard:
//   create: reserve the name (which gives the id), create the bearer, confirm the name;
//   rename: reserve the new name, change the bearer, then confirm, or release when refused;
//   remove: delete the bearer, then free its name (again by DatasetChoreRunner after a crash).
// Every step may be repeated. Where it is not known whether the bearer was changed, the name stays
// reserved. That, and what a crash interrupts, is taken up by the LinkRunner of who owns the
// directory: a creation goes on, a rename is confirmed when the bearer has the name and released
// when not.
//
// Any thread may call; `done` of the envelope gets the outcome of the bearer's own command.
#pragma once

#include <optional>
#include <vector>

#include "commands/bus.hpp"
#include "eventstore/event_log.hpp"

namespace annolog::commands {

class Naming {
 public:
  explicit Naming(CommandBus& bus) : bus_(bus) {}

  // The envelope carries CreateProject or CreateDataset without an id. Refusals of the wish itself
  // come before the name is reserved.
  void create(Envelope envelope);
  // The envelope carries an UpdateProject or UpdateDataset with a name.
  void rename(Envelope envelope);
  // The envelope carries a DeleteDataset.
  void remove(Envelope envelope);

 private:
  CommandBus& bus_;
};

// Reservations that are not settled, as the directory's state has them.
std::vector<NameReserved> pending_names(const eventstore::EventLog& log);
bool is_pending(const eventstore::EventLog& log, const NameReserved& name);

// To be sent to the bearer's shard to learn how a reservation ends: a creation goes on by it, of a
// rename it only asks.
Command bearer_step(const NameReserved& pending);

// The end of a reservation by what the bearer's shard has answered; nothing when it has not.
std::optional<Command> settlement(const NameReserved& pending, const Outcome& bearer);

}  // namespace annolog::commands
