#include "domain/history/past.hpp"

#include <type_traits>
#include <variant>

namespace annolog {
namespace {

template <class E>
concept ChangesTask =
    requires(const E& event, TaskState& task, const Happened& how) { evolve(task, event, how); };
template <class E>
concept ChangesAnnotation = requires(const E& event, AnnotationState& annotation,
                                     const Happened& how) { evolve(annotation, event, how); };

class Fold {
 public:
  Fold(TaskPast& past, TaskId id, const Happened& how) : past_(past), id_(id), how_(how) {}

  void operator()(const TasksCreated& e) {
    for (const NewTask& task : e.tasks)
      if (task.task_id == id_) past_.task = born(e, task, how_);
  }

  void operator()(const BatchCreated& e) { past_.batches[e.batch_id] = born(e, how_); }
  void operator()(const BatchAssigned& e) {
    evolve(batch(e.batch_id), e, how_);
    if (is_in(e.batch_id)) past_.task = caught_up(past_.task, batch(e.batch_id));
  }
  void operator()(const BatchTasksAdded& e) {
    for (const TaskId task : e.task_ids)
      if (task == id_) join(past_.task, batch(e.batch_id), how_);
  }
  void operator()(const BatchTasksRemoved& e) {
    for (const TaskId task : e.task_ids)
      if (task == id_) leave(past_.task, how_);
  }
  void operator()(const BatchReset& e) {
    evolve(batch(e.batch_id), e, how_);
    if (is_in(e.batch_id)) reset(past_.task, e, how_);
  }
  void operator()(const BatchDeleted& e) {
    if (is_in(e.batch_id)) leave(past_.task, how_);
  }

  void operator()(const TaskAnnotationsAdded& e) {
    if (e.task_id != id_) return;
    evolve(past_.task, e, how_);
    for (const NewAnnotation& added : e.annotations)
      past_.annotations[added.annotation_id] = born(e, added, how_);
  }
  template <class E>
  void operator()(const E& e) {
    if constexpr (ChangesTask<E>) {
      if (e.task_id != id_) return;
      evolve(past_.task, e, how_);
      if constexpr (ChangesAnnotation<E>) evolve(past_.annotations[e.annotation_id], e, how_);
    }
  }

 private:
  bool is_in(BatchId id) const { return past_.task.version > 0 && past_.task.batch_id == id; }
  BatchState& batch(BatchId id) {
    BatchState& batch = past_.batches[id];
    batch.id = id;
    return batch;
  }

  TaskPast& past_;
  const TaskId id_;
  const Happened& how_;
};

}  // namespace

void evolve(TaskPast& past, TaskId id, const PastEvent& event) {
  std::visit(Fold(past, id, event.how), event.event);
}

}  // namespace annolog
