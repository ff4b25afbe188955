#include "domain/dataset/backfill.hpp"

#include <algorithm>

#include "domain/dataset/ownership.hpp"

namespace annolog {

Events measured(const DatasetState& dataset, const std::vector<ItemSize>& sizes,
                ItemLookup& items) {
  Events events;
  for (const ItemSize& size : sizes) {
    const ItemState item = items.find(size.item_id);
    const bool lacks_it =
        item.is_in(dataset.id) && item.status == ItemStatus::ready && !item.is_measured();
    if (lacks_it) events.emplace_back(ItemMeasured{dataset.id, item.id, size.width, size.height});
  }
  return events;
}

Result<Events> decide(const DatasetState& dataset, const BackfillState& job, const StartBackfill&,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(dataset, context));
  if (job.is_running()) return Events{};
  return Events{DatasetBackfillStarted{dataset.id, job.number + 1}};
}

Result<Events> decide(const DatasetState& dataset, const BackfillState& job, const CancelBackfill&,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_owner(dataset, context));
  if (job.number == 0) return not_found("backfill");
  if (!job.is_running()) return conflict("JOB_FINAL", "The backfill has ended.");
  return Events{DatasetBackfillEnded{dataset.id, job.number, BackfillStatus::cancelled}};
}

Result<Events> decide(const DatasetState& dataset, const BackfillState& job,
                      const AdvanceBackfill& command, ItemLookup& items) {
  const bool is_next =
      job.is_running() && job.number == command.number && job.reached == command.after;
  if (!dataset.exists() || !is_next) return Events{};
  Events events = measured(dataset, command.sizes, items);
  const auto updated = static_cast<std::int64_t>(events.size());
  const auto processed = static_cast<std::int64_t>(command.sizes.size() + command.failed.size());
  if (processed > 0)
    events.emplace_back(DatasetBackfillAdvanced{dataset.id, job.number,
                                                command.reached.value_or(command.after), processed,
                                                updated, command.failed});
  if (!command.reached)
    events.emplace_back(DatasetBackfillEnded{dataset.id, job.number, BackfillStatus::completed});
  return events;
}

void evolve(BackfillState& state, const DatasetBackfillStarted& event, const Happened& how) {
  state = BackfillState{};
  state.dataset_id = event.dataset_id;
  state.number = event.number;
  state.started_by = how.actor;
  state.started_at = how.at;
}

void evolve(BackfillState& state, const DatasetBackfillAdvanced& event, const Happened&) {
  state.reached = event.reached;
  state.processed += event.processed;
  state.updated += event.updated;
  state.failed += static_cast<std::int64_t>(event.failed.size());
  const auto room = kBackfillFailuresMax - std::min(kBackfillFailuresMax, state.failures.size());
  const auto kept = static_cast<std::ptrdiff_t>(std::min(room, event.failed.size()));
  state.failures.insert(state.failures.end(), event.failed.begin(), event.failed.begin() + kept);
}

void evolve(BackfillState& state, const DatasetBackfillEnded& event, const Happened& how) {
  state.status = event.status;
  state.finished_at = how.at;
}

}  // namespace annolog
