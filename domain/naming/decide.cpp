#include "domain/identity/refusals.hpp"
#include "domain/naming/commands.hpp"

namespace annolog {

Result<Events> decide(const NameCase& on, const ReserveName& command, const Context& context,
                      std::int64_t next_id) {
  const bool rename = command.holder_id != 0;
  if (!rename && !may_globally(context.role, Action::create_projects)) {
    return forbidden(Action::create_projects);
  }
  // Its own name is reserved too: two changes at once could leave it bearing a name it lost.
  if (on.pending) {
    return conflict("RENAME_PENDING", "Another change of this name is under way.");
  }
  if (on.holder && !(rename && *on.holder == command.holder_id)) {
    return conflict("NAME_TAKEN", "The name is in use.", {{"name", command.name}});
  }
  return Events{NameReserved{.kind = command.kind,
                             .scope = command.scope,
                             .holder_id = rename ? command.holder_id : next_id,
                             .name = command.name,
                             .rename = rename,
                             .wish = command.wish}};
}

Result<Events> decide(const NameCase& on, const ConfirmName& command) {
  if (!on.pending || on.pending->name != command.name) return Events{};  // done before
  const auto& p = *on.pending;
  return Events{NameConfirmed{p.kind, p.scope, p.holder_id, p.name}};
}

Result<Events> decide(const NameCase& on, const ReleaseName& command) {
  if (!on.pending || on.pending->name != command.name) return Events{};
  const auto& p = *on.pending;
  return Events{NameReleased{p.kind, p.scope, p.holder_id, p.name}};
}

// A change under way is settled first: confirmed afterwards, it would leave a name held for ever.
Result<Events> decide(const NameCase& on, const FreeName& command) {
  if (on.pending) {
    return conflict("RENAME_PENDING", "Another change of this name is under way.");
  }
  if (!on.borne) return Events{};  // done before
  return Events{NameFreed{command.kind, on.borne->scope, command.holder_id, on.borne->name}};
}

}  // namespace annolog
