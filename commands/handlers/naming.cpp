// The directory shard: unique names.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

NameCase look_up(const ShardState& state, NameKind kind, std::int64_t holder) {
  NameCase on;
  on.pending = state.find<NameReserved>(
      Key(Table::pending_name).byte(static_cast<std::uint8_t>(kind)).number(holder));
  return on;
}

Handled reserved(Events events, NameKind kind, std::int64_t holder) {
  return {std::move(events),
          {ReplyKind::reservation, {static_cast<std::int64_t>(kind), holder}, {}}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const ReserveName& command) {
  NameCase name = look_up(on.state, command.kind, command.holder_id);
  name.holder = on.state.number(Key(Table::name_holder)
                                    .byte(static_cast<std::uint8_t>(command.kind))
                                    .number(command.scope)
                                    .text(command.name));
  const char* counter = command.kind == NameKind::project ? "project" : "dataset";
  const std::int64_t next_id = on.state.counter(counter) + 1;
  BOOST_OUTCOME_TRY(auto events, decide(name, command, on.context, next_id));
  return reserved(std::move(events), command.kind,
                  command.holder_id != 0 ? command.holder_id : next_id);
}

Result<Handled> handle(const Handling& on, const ConfirmName& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(look_up(on.state, command.kind, command.holder_id), command));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const ReleaseName& command) {
  BOOST_OUTCOME_TRY(auto events,
                    decide(look_up(on.state, command.kind, command.holder_id), command));
  return Handled{std::move(events), {}};
}

}  // namespace annolog::commands
