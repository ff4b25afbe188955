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

// The value of holder_name is the key under which the name is held: table, kind, scope, name.
std::optional<BorneName> borne_by(const ShardState& state, NameKind kind, std::int64_t holder) {
  constexpr std::size_t kScopeEnd = 1 + 1 + sizeof(std::int64_t);
  const auto key = state.find<std::string>(
      Key(Table::holder_name).byte(static_cast<std::uint8_t>(kind)).number(holder));
  if (!key) return std::nullopt;
  return BorneName{last_number(std::string_view(*key).substr(0, kScopeEnd)),
                   key->substr(kScopeEnd)};
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

Result<Handled> handle(const Handling& on, const FreeName& command) {
  NameCase name = look_up(on.state, command.kind, command.holder_id);
  name.borne = borne_by(on.state, command.kind, command.holder_id);
  BOOST_OUTCOME_TRY(auto events, decide(name, command));
  return Handled{std::move(events), {}};
}

}  // namespace annolog::commands
