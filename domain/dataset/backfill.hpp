// Reading the sizes of a dataset's images that lack them, as a job of the dataset's shard: whoever
// owns the shard goes on with it from where its last step came. docs/decisions/0025.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/dataset/commands.hpp"
#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"

namespace annolog {

inline constexpr std::size_t kBackfillFailuresMax = 100;  // the first are kept

// The latest of a dataset; its fold.
struct BackfillState {
  DatasetId dataset_id;
  std::int64_t number = 0;  // 0: there never was one
  BackfillStatus status = BackfillStatus::running;
  UserId started_by;
  Timestamp started_at;
  std::optional<Timestamp> finished_at;
  ItemId reached;
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::int64_t failed = 0;
  std::vector<MeasureFailure> failures;
  bool operator==(const BackfillState&) const = default;

  bool is_running() const { return number != 0 && status == BackfillStatus::running; }
};
BOOST_DESCRIBE_STRUCT(BackfillState, (),
                      (dataset_id, number, status, started_by, started_at, finished_at, reached,
                       processed, updated, failed, failures))

// One that runs goes on: no second one beside it.
struct StartBackfill {
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(StartBackfill, (), (dataset_id))

struct CancelBackfill {
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(CancelBackfill, (), (dataset_id))

// By the worker: what it read from the images behind `after`. Nothing comes of a step that another
// one overtook, of a job that was cancelled meanwhile, or of a dataset that is gone.
struct AdvanceBackfill {
  DatasetId dataset_id;
  std::int64_t number = 0;
  ItemId after;
  std::vector<ItemSize> sizes;  // with `failed` at most kMaxItemsPerEvent
  std::vector<MeasureFailure> failed;
  std::optional<ItemId> reached;  // absent: nothing is left behind these
};
BOOST_DESCRIBE_STRUCT(AdvanceBackfill, (), (dataset_id, number, after, sizes, failed, reached))

Result<Events> decide(const DatasetState& dataset, const BackfillState& job,
                      const StartBackfill& command, const Context& context);
// 404 when there never was one; JOB_FINAL when it has ended.
Result<Events> decide(const DatasetState& dataset, const BackfillState& job,
                      const CancelBackfill& command, const Context& context);
Result<Events> decide(const DatasetState& dataset, const BackfillState& job,
                      const AdvanceBackfill& command, ItemLookup& items);

void evolve(BackfillState& state, const DatasetBackfillStarted& event, const Happened& how);
void evolve(BackfillState& state, const DatasetBackfillAdvanced& event, const Happened& how);
void evolve(BackfillState& state, const DatasetBackfillEnded& event, const Happened& how);

// Of these sizes those that ready images of the dataset lack.
Events measured(const DatasetState& dataset, const std::vector<ItemSize>& sizes, ItemLookup& items);

}  // namespace annolog
