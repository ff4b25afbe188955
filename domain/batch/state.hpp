// What decisions about a batch need, its fold, and what a batch does to its tasks.
//
// A change of the batch's people concerns every task of it, and they may be a million in one call.
// So no task is touched: the batch counts its changes, a task remembers how many it has taken in,
// and whoever loads a task brings it up to date first (caught_up). docs/decisions/0015.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/batch/events.hpp"
#include "domain/batch/progress.hpp"
#include "domain/identity/context.hpp"
#include "domain/task/state.hpp"

namespace annolog {

inline constexpr std::int64_t kMaxBatchTasks = 10'000;

struct BatchState {
  BatchId id;
  ProjectId project_id;
  std::int64_t number = 0;
  std::string name;
  BatchStatus status = BatchStatus::draft;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  std::optional<std::string> review_feedback;
  std::optional<Timestamp> reviewed_at;
  std::optional<UserId> reviewed_by;
  std::int64_t change = 0;            // changes of its people so far
  std::int64_t annotator_change = 0;  // the last one that changed the annotator
  std::int64_t reviewer_change = 0;
  Timestamp assigned_at;     // of the last change
  std::int64_t version = 0;  // 0: does not exist
  UserId created_by;
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const BatchState&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchState, (),
                      (id, project_id, number, name, status, annotator_id, reviewer_id,
                       review_feedback, reviewed_at, reviewed_by, change, annotator_change,
                       reviewer_change, assigned_at, version, created_by, created_at, updated_at))

BatchState born(const BatchCreated& event, const Happened& how);
void evolve(BatchState& state, const BatchRenamed& event, const Happened& how);
void evolve(BatchState& state, const BatchAssigned& event, const Happened& how);
void evolve(BatchState& state, const BatchMoved& event, const Happened& how);
void evolve(BatchState& state, const BatchReset& event, const Happened& how);

// The batch's counts after a change of its annotator: not begun work is theirs, or nobody's.
void evolve(BatchProgress& progress, const BatchAssigned& event);

// The task with all changes of its batch taken in. Equal to taking them in one by one.
TaskState caught_up(TaskState task, const BatchState& batch);

// What a caught-up task becomes as it joins its batch, leaves it, or the batch is reset.
void join(TaskState& task, const BatchState& batch, const Happened& how);
void leave(TaskState& task, const Happened& how);
void reset(TaskState& task, const BatchReset& event, const Happened& how);

}  // namespace annolog
