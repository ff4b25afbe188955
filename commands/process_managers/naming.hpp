// The process "a unique name and what bears it", which spans the directory and the bearer's shard:
//   create: reserve the name (which gives the id), create the bearer, confirm the name;
//   rename: reserve the new name, change the bearer, then confirm, or release when refused;
//   remove: delete the bearer, then free its name (again by DatasetChoreRunner after a crash).
// Every step may be repeated. What a crash interrupts is taken up by resume(): a creation goes on,
// a rename is confirmed when the bearer has the name and released when not.
//
// Any thread may call; `done` of the envelope gets the outcome of the bearer's own command.
#pragma once

#include <string>
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

// Reservations that a crash left open, as the directory's state has them.
std::vector<NameReserved> pending_names(const eventstore::EventLog& log);

// The command that takes one of them a step further; several calls may be needed.
Command next_step(const eventstore::EventLog& log, const NameReserved& pending);

}  // namespace annolog::commands
