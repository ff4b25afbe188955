// The rows that a batch of events makes of tasks. All that happens to a task within a batch is
// folded into one row write; the counters by status, of projects, batches and assignees, follow
// from what the rows were and have become in the same statement. Equal to the folds of
// domain/task/state.cpp, column by column. A batch's change concerns rows that aren't known here:
// it ends a phase, in order. One thread; see engine/row_batch.hpp.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "domain/batch/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/task/events.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

// What a batch does to one task. An absent member leaves its column as it is.
struct TaskChange {
  TaskId id;
  std::optional<TaskStatus> status;
  std::optional<UserId> assignee;  // whoever had it before
  bool assignee_cleared = false;
  std::optional<UserId> assignee_if_none;  // only when nobody had it
  std::optional<UserId> reviewer;
  bool lock_changed = false;
  std::optional<UserId> lock_user;
  std::optional<std::int64_t> lock_expires_at_ms;
  bool reason_changed = false;
  std::optional<RejectReason> reason_type;
  std::optional<std::string> reason;
  std::optional<std::int64_t> submitted_at_ms;  // clears the skip mark
  std::optional<std::int64_t> skipped_at_ms;
  std::optional<std::int64_t> reviewed_at_ms;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
  std::int64_t reopened = 0;
  std::int64_t annotations = 0;
  std::int64_t versions = 0;
  std::optional<std::int64_t> updated_at_ms;
};

// What is known of batches whose people changed and whose tasks don't show it yet.
struct TaskSettling {
  bool any = false;                    // there may be some
  std::int64_t tasks_at_once = 1'000;  // so many tasks follow within the batch of events
};

class TaskRows {
 public:
  explicit TaskRows(const TaskSettling& settling = {}) : settling_(settling) {}

  void apply(const TasksCreated& event, const Happened& how);
  void apply(const TaskMeasured& event, const Happened& how);
  void apply(const TasksRemoved& event, const Happened& how);
  void apply(const TaskTaken& event, const Happened& how);
  void apply(const TaskLocked& event, const Happened& how);
  void apply(const TaskLockRenewed& event, const Happened& how);
  void apply(const TaskUnlocked& event, const Happened& how);
  void apply(const TaskLockExpired& event, const Happened& how);
  void apply(const TaskAnnotationsAdded& event, const Happened& how);
  void apply(const AnnotationUpdated& event, const Happened& how);
  void apply(const AnnotationDeleted& event, const Happened& how);
  void apply(const AnnotationRestored& event, const Happened& how);
  void apply(const TaskSubmitted& event, const Happened& how);
  void apply(const TaskSentToReview& event, const Happened& how);
  void apply(const TaskApproved& event, const Happened& how);
  void apply(const TaskRejected& event, const Happened& how);
  void apply(const TaskRejectionAccepted& event, const Happened& how);
  void apply(const TaskReopened& event, const Happened& how);
  void apply(const TaskSkipped& event, const Happened& how);

  void apply(const BatchTasksAdded& event, const Happened& how);
  void apply(const BatchTasksRemoved& event, const Happened& how);
  void apply(const BatchAssigned& event, const Happened& how, eventstore::Position at);
  void apply(const BatchReset& event, const Happened& how);
  void apply(const BatchDeleted& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  struct Birth {
    NewTask task;
    ProjectId project_id;
    DatasetId dataset_id;
    std::int64_t created_at_ms = 0;
    TaskChange change;  // of the same batch
  };
  TaskChange& change(TaskId id);
  TaskChange& touch(TaskId id, const Happened& how);  // a change that counts
  TaskChange& lock(TaskId id, UserId user, Timestamp expires_at, const Happened& how);
  TaskChange& review(TaskId id, TaskStatus status, UserId reviewer, const Happened& how);
  struct Assigned {
    BatchAssigned event;
    eventstore::ShardId shard;
    std::int64_t at_ms = 0;
  };
  // Makes statements of all that was folded so far.
  void close_phase();
  void take_assigned();
  void settle(BatchId batch);
  void settle_batches_of(Params tasks);
  void settle_changed();
  void take_births(StatementQueue& out);
  void take_counts(StatementQueue& out);
  void take_changes(StatementQueue& out);

  TaskSettling settling_;
  StatementQueue done_;  // of the phases that are closed
  std::vector<Assigned> assigned_;
  std::unordered_set<BatchId> assigned_index_;
  std::vector<Birth> births_;
  std::unordered_map<TaskId, std::size_t> birth_index_;
  std::vector<TaskChange> changes_;
  std::unordered_map<TaskId, std::size_t> change_index_;
  std::map<std::pair<ProjectId, DatasetId>, std::int64_t> dataset_tasks_;
};

}  // namespace annolog::projections
