// Wishes about batches, and what may come of them (spec, "Batches"; decisions, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/batch/ref.hpp"
#include "domain/batch/state.hpp"
#include "domain/project/commands.hpp"
#include "domain/support/patch.hpp"

namespace annolog {

inline constexpr std::size_t kMaxBulkBatches = 1000;
inline constexpr std::size_t kMaxDistributedBatches = 10'000;
inline constexpr std::int64_t kMaxBulkTasks = 100'000;  // that one bulk call touches one by one

// Of the people whom a command names, or whose batches it makes active, those who can't work at
// all, as the directory has it: who are no active users, or whose global role is too low for their
// place.
struct UnfitPeople {
  std::vector<UserId> annotators;
  std::vector<UserId> reviewers;
};
BOOST_DESCRIBE_STRUCT(UnfitPeople, (), (annotators, reviewers))

// Of task_ids; or of the task_count oldest unclassified tasks (of of_dataset); or of all
// unclassified ones of of_dataset; or of none. At most kMaxBatchTasks.
struct CreateBatch {
  ProjectId project_id;
  std::optional<std::string> name;  // 1..200 characters; absent: the display id
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  std::optional<std::vector<TaskId>> task_ids;
  std::optional<DatasetId> of_dataset;
  std::optional<std::int64_t> task_count;
  UnfitPeople unfit;
};
BOOST_DESCRIBE_STRUCT(CreateBatch, (),
                      (project_id, name, annotator_id, reviewer_id, task_ids, of_dataset,
                       task_count, unfit))

struct UpdateBatch {
  ProjectId project_id;
  BatchRef batch;
  ExpectedVersion expected_version;
  std::optional<std::string> name;
  Patch<UserId> annotator_id;
  Patch<UserId> reviewer_id;
  UnfitPeople unfit;
};
BOOST_DESCRIBE_STRUCT(UpdateBatch, (),
                      (project_id, batch, expected_version, name, annotator_id, reviewer_id, unfit))

struct DeleteBatch {
  ProjectId project_id;
  BatchRef batch;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteBatch, (), (project_id, batch, expected_version))

// Like CreateBatch, but some are named.
struct AddBatchTasks {
  ProjectId project_id;
  BatchRef batch;
  std::optional<std::vector<TaskId>> task_ids;
  std::optional<DatasetId> of_dataset;
  std::optional<std::int64_t> task_count;
};
BOOST_DESCRIBE_STRUCT(AddBatchTasks, (), (project_id, batch, task_ids, of_dataset, task_count))

struct RemoveBatchTasks {
  ProjectId project_id;
  BatchRef batch;
  std::vector<TaskId> task_ids;
};
BOOST_DESCRIBE_STRUCT(RemoveBatchTasks, (), (project_id, batch, task_ids))

struct MoveBatch {
  ProjectId project_id;
  BatchRef batch;
  BatchStatus target_status = BatchStatus::active;
  std::optional<std::string> reason;
  std::optional<std::string> review_feedback;
  UnfitPeople unfit = {};
};
BOOST_DESCRIBE_STRUCT(MoveBatch, (),
                      (project_id, batch, target_status, reason, review_feedback, unfit))

struct ResetBatch {
  ProjectId project_id;
  BatchRef batch;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(ResetBatch, (), (project_id, batch, reason))

enum class BulkAction : std::uint8_t { archive, remove, activate };
BOOST_DESCRIBE_ENUM(BulkAction, archive, remove, activate)

// Decided per batch.
struct ChangeBatches {
  ProjectId project_id;
  BulkAction action = BulkAction::archive;
  std::vector<BatchRef> batches;  // 1..kMaxBulkBatches
  UnfitPeople unfit = {};
};
BOOST_DESCRIBE_STRUCT(ChangeBatches, (), (project_id, action, batches, unfit))

// All or nothing. Absent: keep; null: clear.
struct ReassignBatches {
  ProjectId project_id;
  std::vector<BatchRef> batches;  // 1..kMaxBulkBatches
  Patch<UserId> annotator_id;
  Patch<UserId> reviewer_id;
  UnfitPeople unfit;
};
BOOST_DESCRIBE_STRUCT(ReassignBatches, (), (project_id, batches, annotator_id, reviewer_id, unfit))

enum class DistributeScope : std::uint8_t { unassigned, all };
BOOST_DESCRIBE_ENUM(DistributeScope, unassigned, all)

// The batches in the order of their numbers, the people in a circle. A side without people stays.
struct DistributeBatches {
  ProjectId project_id;
  std::vector<UserId> annotator_ids;
  std::vector<UserId> reviewer_ids;
  DistributeScope scope = DistributeScope::unassigned;
  UnfitPeople unfit;
};
BOOST_DESCRIBE_STRUCT(DistributeBatches, (),
                      (project_id, annotator_ids, reviewer_ids, scope, unfit))

// Everything a decision about one batch looks at. `batch.version == 0`: no such batch.
struct BatchCase {
  const ProjectState& project;
  BatchState batch;
  BatchProgress progress;
};

// A task that is to join or to leave; `version == 0`: not in this project.
struct JoiningTask {
  TaskId id;
  std::int64_t version = 0;
  std::optional<BatchId> batch_id;
};

Result<void> check(const CreateBatch& command);

Result<Events> decide(const BatchCase& on, const CreateBatch& command, BatchId id,
                      std::int64_t number, const std::vector<JoiningTask>& tasks,
                      const Context& context);
Result<Events> decide(const BatchCase& on, const UpdateBatch& command, const Context& context);
Result<Events> decide(const BatchCase& on, const DeleteBatch& command, const Context& context);
Result<Events> decide(const BatchCase& on, const AddBatchTasks& command,
                      const std::vector<JoiningTask>& tasks, const Context& context);
Result<Events> decide(const BatchCase& on, const RemoveBatchTasks& command,
                      const std::vector<JoiningTask>& tasks, const Context& context);
Result<Events> decide(const BatchCase& on, const MoveBatch& command, const Context& context);
Result<Events> decide(const BatchCase& on, const ResetBatch& command, const Context& context);
// Whether the people may take their places, and the fact that they did; none when nothing changes.
Result<Events> reassign(const BatchCase& on, const UnfitPeople& unfit,
                        const Patch<UserId>& annotator, const Patch<UserId>& reviewer);

// 422 naming the member unless the person works in the project with the role that the place needs.
Result<void> check_people(const ProjectState& project, const UnfitPeople& unfit,
                          const Patch<UserId>& annotator, const Patch<UserId>& reviewer);

struct SkippedBatch {
  BatchRef batch_id;
  std::string reason;
  bool operator==(const SkippedBatch&) const = default;
};
BOOST_DESCRIBE_STRUCT(SkippedBatch, (), (batch_id, reason))

struct FailedBatch {
  BatchRef batch_id;
  std::string code;
  std::string reason;
  bool operator==(const FailedBatch&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailedBatch, (), (batch_id, code, reason))

struct BulkOutcome {
  std::vector<BatchId> succeeded;
  std::vector<SkippedBatch> skipped;
  std::vector<FailedBatch> failed;
  bool operator==(const BulkOutcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(BulkOutcome, (), (succeeded, skipped, failed))

struct BulkDecision {
  Events events;
  BulkOutcome outcome;
};

// A batch of a bulk call, found or not.
struct BulkSubject {
  BatchRef ref;
  BatchState batch;
  BatchProgress progress;
};

Result<BulkDecision> decide(const ProjectState& project, const ChangeBatches& command,
                            const std::vector<BulkSubject>& batches, const Context& context);
Result<BulkDecision> decide(const ProjectState& project, const ReassignBatches& command,
                            const std::vector<BulkSubject>& batches, const Context& context);

struct BatchAssignment {
  BatchId batch_id;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  bool operator==(const BatchAssignment&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchAssignment, (), (batch_id, annotator_id, reviewer_id))

struct DistributeOutcome {
  std::vector<BatchAssignment> assignments;
  bool operator==(const DistributeOutcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(DistributeOutcome, (), (assignments))

struct DistributeDecision {
  Events events;
  DistributeOutcome outcome;
};

// `batches`: all of the project in the order of their numbers.
Result<DistributeDecision> decide(const ProjectState& project, const DistributeBatches& command,
                                  const std::vector<BatchState>& batches, const Context& context);

}  // namespace annolog
