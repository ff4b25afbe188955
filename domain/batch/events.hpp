// Facts about batches; they live in the project's shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/batch/status.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct BatchCreated {
  static constexpr std::string_view kType = "batch.created";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  std::int64_t number = 0;  // display id B-<number>, within the project
  std::string name;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  bool operator==(const BatchCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchCreated, (),
                      (project_id, batch_id, number, name, annotator_id, reviewer_id))

struct BatchRenamed {
  static constexpr std::string_view kType = "batch.renamed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  std::string name;
  bool operator==(const BatchRenamed&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchRenamed, (), (project_id, batch_id, name))

// Who works in the batch from now on, and reviews it. The tasks follow, all but completed ones
// (state.hpp, caught_up): one fact whatever their number.
struct BatchAssigned {
  static constexpr std::string_view kType = "batch.assigned";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  bool annotator_changed = false;
  bool reviewer_changed = false;
  bool operator==(const BatchAssigned&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchAssigned, (),
                      (project_id, batch_id, annotator_id, reviewer_id, annotator_changed,
                       reviewer_changed))

// Tasks that were unclassified joined the batch and follow its people; at most kMaxItemsPerEvent.
struct BatchTasksAdded {
  static constexpr std::string_view kType = "batch.tasks_added";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  std::optional<UserId> annotator_id;  // the batch's
  std::optional<UserId> reviewer_id;
  std::vector<TaskId> task_ids;
  bool operator==(const BatchTasksAdded&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchTasksAdded, (),
                      (project_id, batch_id, annotator_id, reviewer_id, task_ids))

// They are unclassified again, and else as they were; at most kMaxItemsPerEvent.
struct BatchTasksRemoved {
  static constexpr std::string_view kType = "batch.tasks_removed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  std::vector<TaskId> task_ids;
  bool operator==(const BatchTasksRemoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchTasksRemoved, (), (project_id, batch_id, task_ids))

// A step of the transition table; by itself or by a person.
struct BatchMoved {
  static constexpr std::string_view kType = "batch.moved";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  BatchStatus from = BatchStatus::draft;
  BatchStatus to = BatchStatus::draft;
  bool automatic = false;             // it followed from work on a task
  std::optional<std::string> reason;  // always there for a reverse move
  std::optional<std::string> review_feedback;
  std::optional<UserId> annotator_id;  // the batch's, so that they can be told
  std::optional<UserId> reviewer_id;
  bool operator==(const BatchMoved&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchMoved, (),
                      (project_id, batch_id, from, to, automatic, reason, review_feedback,
                       annotator_id, reviewer_id))

// Back to draft: its tasks are pending and free, their annotations stay.
struct BatchReset {
  static constexpr std::string_view kType = "batch.reset";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  BatchStatus from = BatchStatus::draft;
  std::optional<UserId> reviewer_id;  // the batch's, and the tasks' again
  std::string reason;
  bool operator==(const BatchReset&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchReset, (), (project_id, batch_id, from, reviewer_id, reason))

// Its tasks are unclassified, and else as they were.
struct BatchDeleted {
  static constexpr std::string_view kType = "batch.deleted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchId batch_id;
  bool operator==(const BatchDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchDeleted, (), (project_id, batch_id))

enum class BatchesAction : std::uint8_t { archived, deleted, activated, reassigned, distributed };
BOOST_DESCRIBE_ENUM(BatchesAction, archived, deleted, activated, reassigned, distributed)

// The trace of one call about many batches; what it did to each is said by events of their own.
struct BatchesChanged {
  static constexpr std::string_view kType = "batches.changed";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  BatchesAction action = BatchesAction::archived;
  std::vector<BatchId> succeeded;
  std::vector<BatchId> skipped;  // those that exist
  std::vector<BatchId> failed;
  bool operator==(const BatchesChanged&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchesChanged, (), (project_id, action, succeeded, skipped, failed))

}  // namespace annolog
