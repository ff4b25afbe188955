// The job that reads the sizes of a dataset's images.
#include "commands/handlers/handlers.hpp"
#include "commands/handlers/state_items.hpp"

namespace annolog::commands {
namespace {

template <class C, class Last>
Result<Handled> decide_backfill(const Handling& on, const C& command, Last& last) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.dataset(command.dataset_id),
                                        on.state.backfill(command.dataset_id), command, last));
  return Handled{std::move(events), {ReplyKind::backfill, {command.dataset_id.value}, {}}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const StartBackfill& command) {
  return decide_backfill(on, command, on.context);
}

Result<Handled> handle(const Handling& on, const CancelBackfill& command) {
  return decide_backfill(on, command, on.context);
}

Result<Handled> handle(const Handling& on, const AdvanceBackfill& command) {
  StateItems items(on.state);
  return decide_backfill(on, command, items);
}

Result<Handled> handle(const Handling& on, const ReadBackfill& command) {
  BackfillState job = on.state.backfill(command.dataset_id);
  if (job.number == 0) return not_found("backfill");
  return Handled{{}, {}, Reply{std::move(job)}};
}

}  // namespace annolog::commands
