#include "commands/state/fold.hpp"

#include "commands/state/fold_datasets.hpp"
#include "commands/state/fold_directory.hpp"
#include "commands/state/fold_jobs.hpp"
#include "domain/project/removal.hpp"
#include "domain/project/unlinking.hpp"
#include "domain/support/overloaded.hpp"

namespace annolog::commands {
namespace {

Key lock_key(ProjectId project, UserId user, TaskId task) {
  return Key(Table::lock).id(project).id(user).id(task);
}

class Fold : FoldDirectory, FoldDatasets, FoldJobs {
 public:
  Fold(ShardState& state, const Happened& how)
      : FoldDirectory(state, how),
        FoldDatasets(state, how),
        FoldJobs(state, how),
        state_(state),
        how_(how) {}

  using FoldDatasets::operator();
  using FoldDirectory::operator();
  using FoldJobs::operator();

  void operator()(const NameReserved& e) {
    state_.put_number(holder_key(e), e.holder_id);
    state_.put(pending_key(e), e);
    state_.raise_counter(counter_of(e.kind), e.holder_id);
  }
  void operator()(const NameConfirmed& e) {
    if (const auto old = state_.find<std::string>(name_key(e))) state_.erase(*old);
    state_.put(name_key(e), holder_key(e).bytes());
    state_.put_number(holder_key(e), e.holder_id);
    state_.erase(pending_key(e).bytes());
  }
  void operator()(const NameReleased& e) {
    // A change back to the name it bears already leaves that name held.
    const bool borne = state_.find<std::string>(name_key(e)) == holder_key(e).bytes();
    if (!borne) state_.erase(holder_key(e).bytes());
    state_.erase(pending_key(e).bytes());
  }
  void operator()(const NameFreed& e) {
    state_.erase(holder_key(e).bytes());
    state_.erase(name_key(e).bytes());
  }

  void operator()(const ProjectCreated& e) {
    ProjectState project;
    evolve(project, e, how_);
    state_.save(project);
  }
  void operator()(const ProjectUpdated& e) { of_project(e); }
  void operator()(const ProjectClassesReplaced& e) { of_project(e); }
  void operator()(const ProjectClassRenamed& e) { of_project(e); }
  void operator()(const ProjectMemberAdded& e) { of_project(e); }
  void operator()(const ProjectMemberRoleChanged& e) { of_project(e); }
  void operator()(const ProjectMemberRemoved& e) { of_project(e); }
  void operator()(const ProjectExported&) {}
  void operator()(const RequestRecorded&) {}  // fold_audit(), which needs the record's bytes
  void operator()(const ProjectTransferred& e) { of_project(e); }
  void operator()(const ProjectDeleted& e) {
    leave(removal_after(*state_.project(e.project_id), e));
    of_project(e);
    for (const auto batch : state_.batches_of(e.project_id)) state_.erase(*state_.batch(batch));
    state_.erase_counts(e.project_id);
    state_.erase_below(Key(Table::unlinking).id(e.project_id));
    for (const auto id : state_.last_numbers(webhooks_of(e.project_id)))
      state_.erase(state_.webhook(WebhookId{id}));
  }
  void operator()(const ProjectRemovalFinished& e) {
    state_.erase(removal_key(e.project_id, e.asset_id.value_or(GuideAssetId{})).bytes());
  }
  void operator()(const GuideAssetUploadStarted& e) {
    of_project(e);
    state_.raise_counter("guide_asset", state_.sequence_of(e.asset_id.value));
  }
  void operator()(const GuideAssetReady& e) { of_project(e); }
  void operator()(const GuideAssetDeleted& e) {
    leave(removal_after(*state_.project(e.project_id), e));
    of_project(e);
  }

  void operator()(const TasksCreated& e) {
    for (const auto& entry : e.tasks) {
      const TaskState task = born(e, entry, how_);
      state_.save(StoredTask{}, task);
      state_.put_number(task_of_item_key(e.project_id, e.dataset_id, entry.item_id), task.id.value);
    }
    if (!e.tasks.empty()) {
      state_.put_number(Key(Table::task_number).id(e.project_id), e.tasks.back().number);
      state_.raise_counter("task", state_.sequence_of(e.tasks.back().task_id.value));
    }
  }
  void operator()(const ProjectDatasetUnlinked& e) {
    state_.put(unlinking_key(e.project_id, e.dataset_id),
               Unlinking{e.project_id, e.dataset_id, e.link, false});
  }
  void operator()(const TasksRemoved& e) {
    for (const TaskId id : e.task_ids) state_.remove_task(id);
  }
  void operator()(const ProjectUnlinkFinished& e) {
    auto unlinking = state_.unlinking(e.project_id, e.dataset_id);
    if (!unlinking) return;
    unlinking->is_finished = true;
    state_.put(unlinking_key(e.project_id, e.dataset_id), *unlinking);
  }
  void operator()(const TaskAnnotationsAdded& e) {
    of_task(e);
    std::map<ClassId, std::int64_t> used;
    for (const auto& entry : e.annotations) {
      state_.save(born(e, entry, how_));
      ++used[entry.class_id];
    }
    for (const auto& [id, n] : used) state_.add(class_use_key(e.project_id, id), n);
    if (!e.annotations.empty()) {
      state_.raise_counter("annotation",
                           state_.sequence_of(e.annotations.back().annotation_id.value));
    }
  }
  void operator()(const AnnotationUpdated& e) {
    of_task(e);
    AnnotationState annotation = state_.annotation(e.task_id, e.annotation_id);
    if (annotation.class_id != e.class_id) {
      state_.add(class_use_key(e.project_id, annotation.class_id), -1);
      state_.add(class_use_key(e.project_id, e.class_id), 1);
    }
    evolve(annotation, e, how_);
    state_.save(annotation);
  }
  void operator()(const AnnotationDeleted& e) {
    of_task(e);
    AnnotationState annotation = state_.annotation(e.task_id, e.annotation_id);
    state_.add(class_use_key(e.project_id, annotation.class_id), -1);
    evolve(annotation, e, how_);
    state_.save(annotation);
  }

  void operator()(const BatchCreated& e) {
    const BatchState batch = born(e, how_);
    state_.save(BatchState{}, batch);
    state_.put_number(Key(Table::batch_number).id(e.project_id).number(e.number), e.batch_id.value);
    state_.put_number(Key(Table::last_batch_number).id(e.project_id), e.number);
    state_.raise_counter("batch", state_.sequence_of(e.batch_id.value));
  }
  void operator()(const BatchesChanged&) {}
  void operator()(const BatchRenamed& e) { of_batch(e); }
  void operator()(const BatchMoved& e) { of_batch(e); }
  void operator()(const BatchAssigned& e) {
    of_batch(e);
    state_.follow(e);
  }
  void operator()(const BatchTasksAdded& e) {
    const auto batch = state_.batch(e.batch_id);
    for (const auto id : e.task_ids) {
      change_task(id, [&](TaskState& task) { join(task, *batch, how_); });
    }
  }
  void operator()(const BatchTasksRemoved& e) {
    for (const auto id : e.task_ids)
      change_task(id, [&](TaskState& task) { annolog::leave(task, how_); });
  }
  void operator()(const BatchReset& e) {
    of_batch(e);
    change_tasks_of(e.batch_id, [&](TaskState& task) { reset(task, e, how_); });
  }
  void operator()(const BatchDeleted& e) {
    change_tasks_of(e.batch_id, [&](TaskState& task) { annolog::leave(task, how_); });
    state_.erase(*state_.batch(e.batch_id));
  }

  void operator()(const AnnotationRestored& e) {
    of_task(e);
    AnnotationState annotation = state_.annotation(e.task_id, e.annotation_id);
    state_.add(class_use_key(e.project_id, annotation.class_id), 1);
    evolve(annotation, e, how_);
    state_.save(annotation);
  }
  void operator()(const TaskTaken& e) { take_lock(e); }
  void operator()(const TaskLocked& e) { take_lock(e); }
  template <class E>
    requires requires(E e, TaskState t, Happened h) { evolve(t, e, h); }
  void operator()(const E& e) {
    of_task(e);
  }

  void operator()(const CommentAdded& e) {
    state_.save(born(e, how_));
    state_.raise_counter("comment", state_.sequence_of(e.comment_id.value));
  }
  void operator()(const CommentDeleted& e) {
    CommentState comment = state_.comment(e.task_id, e.comment_id);
    evolve(comment, e, how_);
    state_.save(comment);
  }

  void operator()(const WebhookCreated& e) {
    state_.save(born(e, how_));
    state_.raise_counter("webhook", state_.sequence_of(e.webhook_id.value));
  }
  void operator()(const WebhookUpdated& e) { of_webhook(e); }
  void operator()(const WebhookSecretRotated& e) { of_webhook(e); }
  void operator()(const WebhookDisabled& e) { of_webhook(e); }
  void operator()(const WebhookDeleted& e) { state_.erase(state_.webhook(e.webhook_id)); }
  void operator()(const WebhookTested& e) { state_.raise_counter("webhook_ping", e.number); }
  void operator()(const WebhookReplayRequested&) {}

 private:
  template <class E>
  void of_webhook(const E& e) {
    WebhookState webhook = state_.webhook(e.webhook_id);
    evolve(webhook, e, how_);
    state_.save(webhook);
  }
  template <class E>
  void of_project(const E& e) {
    ProjectState project = *state_.project(e.project_id);
    evolve(project, e, how_);
    state_.save(project);
  }
  template <class E>
  void of_task(const E& e) {
    change_task(e.task_id, [&](TaskState& task) { evolve(task, e, how_); });
  }
  template <class Change>
  void change_task(TaskId id, const Change& change) {
    const StoredTask before = state_.stored_task(id);
    TaskState after = before.now;
    change(after);
    state_.save(before, after);
  }
  // The lock's index entry tells since when it is held. A renewal leaves the entry as it is; so
  // does who takes up work whose lock is theirs already.
  template <class E>
  void take_lock(const E& e) {
    const StoredTask before = state_.stored_task(e.task_id);
    TaskState after = before.now;
    evolve(after, e, how_);
    state_.save(before, after);
    const Lock* held = before.now.live_lock(how_.at);
    if (held != nullptr && held->user_id == e.user_id) return;
    state_.put_number(lock_key(e.project_id, e.user_id, e.task_id), how_.at.ms);
  }
  template <class E>
  void of_batch(const E& e) {
    const BatchState before = *state_.batch(e.batch_id);
    BatchState after = before;
    evolve(after, e, how_);
    state_.save(before, after);
  }
  template <class Change>
  void change_tasks_of(BatchId batch, const Change& change) {
    for (const auto id : state_.last_numbers(Key(Table::batch_task).id(batch))) {
      change_task(TaskId{id}, change);
    }
  }
  void leave(const Removal& removal) {
    state_.put(removal_key(removal.project_id, removal.asset_id), removal);
  }

  static const char* counter_of(NameKind kind) {
    return kind == NameKind::project ? "project" : "dataset";
  }
  static Key class_use_key(ProjectId project, ClassId id) {
    return Key(Table::class_use).id(project).id(id);
  }
  template <class E>
  static Key holder_key(const E& e) {
    return Key(Table::name_holder)
        .byte(static_cast<std::uint8_t>(e.kind))
        .number(e.scope)
        .text(e.name);
  }
  template <class E>
  static Key name_key(const E& e) {
    return Key(Table::holder_name).byte(static_cast<std::uint8_t>(e.kind)).number(e.holder_id);
  }
  template <class E>
  static Key pending_key(const E& e) {
    return Key(Table::pending_name).byte(static_cast<std::uint8_t>(e.kind)).number(e.holder_id);
  }

  ShardState& state_;
  const Happened& how_;
};

}  // namespace

void fold(ShardState& state, const Event& event, const Happened& how) {
  std::visit(Fold(state, how), event);
}

std::optional<Timestamp> held_since(const ShardState& state, const TaskState& task, Timestamp now) {
  const Lock* lock = task.live_lock(now);
  if (lock == nullptr) return std::nullopt;
  const auto since_ms = state.number(lock_key(task.project_id, lock->user_id, task.id));
  return since_ms ? std::optional(Timestamp{*since_ms}) : std::nullopt;
}

void fold_format(ShardState& state, std::int64_t offset) {
  if (offset == 1) state.put_number(Key(Table::format), kStateFormat);
}

}  // namespace annolog::commands
