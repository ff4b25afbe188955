#include "domain/batch/work.hpp"

#include <algorithm>

#include "domain/batch/transitions.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog {
namespace {

template <class E>
constexpr bool kIsWork =
    std::is_same_v<E, TaskTaken> || std::is_same_v<E, TaskLocked> ||
    std::is_same_v<E, TaskLockRenewed> || std::is_same_v<E, TaskAnnotationsAdded> ||
    std::is_same_v<E, AnnotationUpdated> || std::is_same_v<E, AnnotationDeleted> ||
    std::is_same_v<E, AnnotationRestored> || std::is_same_v<E, TaskSubmitted>;

bool is_work(const Event& event) {
  return std::visit([](const auto& e) { return kIsWork<std::remove_cvref_t<decltype(e)>>; }, event);
}

TaskStatus status_after(TaskState task, const Events& events) {
  for (const auto& event : events) {
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { evolve(task, e, Happened{}); }) evolve(task, e, Happened{});
        },
        event);
  }
  return task.status;
}

bool goes_by_itself(BatchStatus from, BatchStatus to) {
  const auto* const row = find_step(from, to);
  return row != nullptr && includes(row->who, BatchActor::itself);
}

// Where the table has it happen by itself.
void step(BatchState& batch, BatchStatus to, Events& events) {
  if (!goes_by_itself(batch.status, to)) return;
  events.emplace_back(BatchMoved{.project_id = batch.project_id,
                                 .batch_id = batch.id,
                                 .from = batch.status,
                                 .to = to,
                                 .automatic = true,
                                 .reason = std::nullopt,
                                 .review_feedback = std::nullopt,
                                 .annotator_id = batch.annotator_id,
                                 .reviewer_id = batch.reviewer_id});
  batch.status = to;
}

}  // namespace

Result<void> require_open(const BatchState& batch) {
  if (is_open(batch.status)) return success();
  return conflict(
      "BATCH_NOT_OPEN",
      std::string("No work happens in a batch that is ") + to_string(batch.status) + ".",
      {{"batch_id", batch.id.value}, {"status", std::string(to_string(batch.status))}});
}

Result<void> require_open(const std::optional<TaskBatch>& in) {
  if (!in) return success();
  return require_open(in->batch);
}

void follow_work(const TaskBatch& in, const TaskState& task, Events& events) {
  if (events.empty()) return;
  TaskBatch after = in;
  --after.progress.of(task.status);
  ++after.progress.of(status_after(task, events));
  if (std::ranges::any_of(events, is_work)) step(after.batch, BatchStatus::annotating, events);
  follow_tasks(after, events);
}

void follow_tasks(const TaskBatch& after, Events& events) {
  if (after.progress.total() == 0 || after.progress.open() > 0) return;
  BatchState batch = after.batch;
  step(batch, BatchStatus::reviewing, events);
}

}  // namespace annolog
