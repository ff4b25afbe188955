// Batches through the runtime: what tasks/next offers, and what becomes of a batch's tasks.
#include "domain/codec/domain_json.hpp"
#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::batch_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;
using Order = std::vector<std::string>;

BatchRef ref(const BatchView& batch) { return BatchScene::ref(batch); }

// --- tasks/next.

TEST(BatchNext, a_named_batch_is_the_scope) {
  BatchScene scene(4);
  const auto first = scene.active(scene.a, 2);
  const auto second = scene.active(scene.a, 2);
  EXPECT_EQ(scene.taken(scene.a, ref(second)), "T-3");
  EXPECT_EQ(scene.taken(scene.a, BatchRef{0, 1, {}}), "T-1") << "a lock elsewhere does not count";
  EXPECT_EQ(scene.taken(scene.a, ref(second)), "T-3") << "a lock here does";
  EXPECT_EQ(scene.work_off(scene.a, ref(first)), (Order{"T-1", "T-2"}));
  EXPECT_EQ(scene.none(scene.a, ref(first)).reason, "all_done");
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-3", "T-4"}));
}

TEST(BatchNext, another_annotators_batch_is_forbidden) {
  BatchScene scene(1);
  const auto batch = scene.active(scene.a, 1);
  for (const Who who : {scene.b, scene.reviewer, scene.owner}) {
    EXPECT_EQ(scene.refused(who, ref(batch)), "FORBIDDEN");
  }
  scene.give(batch, std::nullopt);
  EXPECT_EQ(scene.taken(scene.b, ref(batch)), "T-1") << "nobody's is everybody's";
}

TEST(BatchNext, a_batch_that_is_not_at_work_is_a_conflict) {
  BatchScene scene(4);
  const auto batch = scene.draft(scene.a, 1);
  EXPECT_EQ(scene.refused(scene.a, ref(batch)), "BATCH_NOT_OPEN");
  scene.go(batch, S::active);
  EXPECT_EQ(scene.work_off(scene.a, ref(batch)), Order{"T-1"});
  EXPECT_EQ(scene.none(scene.a, ref(batch)).reason, "all_done") << "it is in review";
  scene.go(batch, S::rejected);
  EXPECT_EQ(scene.refused(scene.a, ref(batch)), "BATCH_NOT_OPEN");
  scene.go(batch, S::reviewing);
  scene.service.must<TaskView>(ApproveTask{scene.rows().numbered(1)}, scene.reviewer);
  scene.go(batch, S::approved);
  EXPECT_EQ(scene.refused(scene.a, ref(batch)), "BATCH_NOT_OPEN");
  scene.go(batch, S::archived);
  const auto outcome = scene.service.call(TakeNextTask{scene.project, ref(batch)}, scene.a);
  EXPECT_EQ(Service::code(outcome), "BATCH_NOT_OPEN");
  EXPECT_EQ(outcome.reply.error().kind, DomainError::Kind::conflict);
}

TEST(BatchNext, a_batch_that_is_not_here_is_not_found) {
  BatchScene scene(1);
  const auto elsewhere = scene.service.add_project("Elsewhere", scene.owner);
  CreateBatch wish;
  wish.project_id = elsewhere;
  const auto foreign = scene.service.must<BatchView>(wish, scene.owner);
  for (const auto& named : {ref(foreign), BatchRef{999'999, 0, {}}, BatchRef{0, 7, {}},
                            batch_ref_from("B-DEFAULT"), batch_ref_from("nonsense")}) {
    EXPECT_EQ(scene.refused(scene.a, named), "NOT_FOUND") << to_string(named);
  }
}

TEST(BatchNext, own_rejected_then_begun_then_waiting_work) {
  for (const bool named : {true, false}) {
    BatchScene scene(4);
    const auto batch = scene.active(scene.a, 4);
    const auto in = named ? std::optional(ref(batch)) : std::nullopt;
    const auto rejected = scene.next(scene.a, in);
    scene.submit(rejected.id, scene.a);
    const auto begun = scene.next(scene.a, in);
    scene.unlock(begun.id, scene.a);
    scene.reject(rejected.id);
    EXPECT_EQ(scene.work_off(scene.a, in), (Order{"T-1", "T-2", "T-3", "T-4"}));
    EXPECT_EQ(rejected.display_id, "T-1");
    EXPECT_EQ(begun.display_id, "T-2");
  }
}

TEST(BatchNext, own_assigned_work_comes_before_pending_work) {
  BatchScene scene(3);
  const auto batch = scene.active(scene.a, 2);
  scene.service.must<BatchView>(ResetBatch{scene.project, ref(batch), "start it over"},
                                scene.owner);  // both are pending
  scene.service.must<BatchView>(AddBatchTasks{scene.project, ref(batch), {}, {}, 1}, scene.owner);
  scene.go(batch, S::active);
  EXPECT_EQ(scene.task(2).status, T::pending);
  EXPECT_EQ(scene.task(3).status, T::assigned);
  EXPECT_EQ(scene.work_off(scene.a, ref(batch)), (Order{"T-3", "T-1", "T-2"}));
}

TEST(BatchNext, own_assigned_work_of_any_batch_comes_before_pending_work) {
  BatchScene scene(3);
  const auto pending = scene.active(scene.a, 2);
  scene.service.must<BatchView>(ResetBatch{scene.project, ref(pending), "start it over"},
                                scene.owner);
  scene.go(pending, S::active);
  scene.active(scene.a, 1);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-3", "T-1", "T-2"}));
}

TEST(BatchNext, pending_work_of_several_batches_comes_oldest_first) {
  BatchScene scene(4);
  for (const auto& [one, other] : {std::pair{3, 2}, std::pair{4, 1}}) {
    auto wish = scene.wish(scene.a, std::nullopt);
    wish.task_ids = std::vector{scene.rows().numbered(one), scene.rows().numbered(other)};
    const auto batch = scene.service.must<BatchView>(wish, scene.owner);
    scene.go(batch, S::active);
    scene.service.must<BatchView>(ResetBatch{scene.project, ref(batch), "start it over"},
                                  scene.owner);
    scene.go(batch, S::active);
  }
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-2", "T-3", "T-4"}));
}

TEST(BatchNext, skipped_work_comes_last_whoever_the_annotator_became) {
  BatchScene scene(4);
  scene.skip(scene.next(scene.b).id, scene.b);  // T-1, while it is in no batch
  auto wish = scene.wish(scene.a, std::nullopt);
  const auto rows = scene.rows();
  wish.task_ids = std::vector{rows.numbered(1), rows.numbered(2), rows.numbered(3)};
  const auto batch = scene.service.must<BatchView>(wish, scene.owner);
  scene.go(batch, S::active);
  scene.give(batch, std::nullopt);
  EXPECT_EQ(scene.work_off(scene.b, ref(batch)), (Order{"T-2", "T-3", "T-1"}));
}

TEST(BatchNext, skipped_work_comes_last) {
  for (const bool named : {true, false}) {
    BatchScene scene(5);
    const auto batch = scene.active(scene.a, 3);
    const auto in = named ? std::optional(ref(batch)) : std::nullopt;
    scene.skip(scene.next(scene.a, in).id, scene.a);
    EXPECT_EQ(scene.work_off(scene.a, in),
              (named ? Order{"T-2", "T-3", "T-1"} : Order{"T-2", "T-3", "T-4", "T-5", "T-1"}));
  }
}

TEST(BatchNext, skipped_work_of_a_batch_comes_before_skipped_unclassified_work) {
  BatchScene scene(3);
  scene.skip(scene.next(scene.b).id, scene.b);
  CreateBatch wish = scene.wish(scene.a, std::nullopt);
  wish.task_ids = std::vector<TaskId>{scene.rows().numbered(2)};
  const auto batch = scene.service.must<BatchView>(wish, scene.owner);
  scene.go(batch, S::active);
  scene.skip(scene.next(scene.a, ref(batch)).id, scene.a);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-3", "T-2", "T-1"}));
}

TEST(BatchNext, batches_that_name_the_caller_come_before_unclassified_work) {
  BatchScene scene(6);
  const auto early = scene.wish(scene.a, std::nullopt);
  for (const auto& numbers : {std::vector<std::int64_t>{3, 4}, {5}}) {
    CreateBatch wish = early;
    wish.task_ids.emplace();
    for (const auto n : numbers) wish.task_ids->push_back(scene.rows().numbered(n));
    scene.go(scene.service.must<BatchView>(wish, scene.owner), S::active);
  }
  EXPECT_EQ(scene.taken(scene.b), "T-1") << "others' batches are not offered";
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-3", "T-4", "T-5", "T-2", "T-6"}));
}

TEST(BatchNext, what_is_nobodys_or_not_at_work_is_not_offered_unasked) {
  BatchScene scene(4);
  scene.draft(scene.a, 1);                             // T-1
  const auto nobodys = scene.active(std::nullopt, 1);  // T-2
  const auto archived = scene.active(scene.a, 1);      // T-3
  scene.go(archived, S::archived);
  EXPECT_EQ(scene.work_off(scene.a), Order{"T-4"});
  EXPECT_EQ(scene.work_off(scene.a, ref(nobodys)), Order{"T-2"});
  EXPECT_EQ(scene.none(scene.a).reason, "none_assigned");
}

TEST(BatchNext, pending_work_of_a_batch_in_review_is_offered_only_by_its_name) {
  BatchScene scene(2);
  const auto batch = scene.active(scene.a, 2);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-2"}));
  ASSERT_EQ(scene.batch(batch).status, S::reviewing);
  const auto id = scene.rows().numbered(1);
  scene.reject(id);
  EXPECT_EQ(scene.taken(scene.a), "T-1") << "own rejected work, whatever the batch";
  scene.skip(id, scene.a);
  EXPECT_EQ(scene.none(scene.a).reason, "none_assigned");
  EXPECT_EQ(scene.taken(scene.a, ref(batch)), "T-1");
}

TEST(BatchNext, why_a_batch_has_none) {
  BatchScene scene(3);
  const auto batch = scene.active(std::nullopt, 1);
  const auto task = scene.next(scene.a, ref(batch));
  scene.service.clock.advance(1500);
  const auto locked = scene.none(scene.b, ref(batch));
  EXPECT_EQ(locked.reason, "all_locked");
  EXPECT_EQ(locked.retry_after_s, (kDefaultLockMs - 1500 + 999) / 1000);
  scene.unlock(task.id, scene.a);
  EXPECT_EQ(scene.none(scene.b, ref(batch)).reason, "none_assigned");
  scene.submit(task.id, scene.a);
  EXPECT_EQ(scene.none(scene.b, ref(batch)).reason, "all_done");
  EXPECT_EQ(scene.none(scene.b, ref(batch)).retry_after_s, 0);
}

// --- Steps by themselves.

TEST(BatchRuntime, work_moves_the_batch_along) {
  for (const bool review_required : {true, false}) {
    BatchScene scene(2, review_required);
    const auto batch = scene.active(scene.a, 2);
    const auto first = scene.next(scene.a);
    EXPECT_EQ(scene.batch(batch).status, S::annotating);
    scene.submit(first.id, scene.a);
    const auto second = scene.next(scene.a);
    EXPECT_EQ(scene.batch(batch).status, S::annotating);
    scene.submit(second.id, scene.a);
    EXPECT_EQ(scene.batch(batch).status, S::reviewing);
    scene.reject(first.id);
    EXPECT_EQ(scene.batch(batch).status, S::reviewing);
    scene.service.expect_refold_gives_the_same();
  }
}

TEST(BatchRuntime, a_lock_or_an_annotation_begins_a_batch_that_is_active_again) {
  for (const int way : {0, 1, 2}) {
    BatchScene scene(2);
    const auto batch = scene.active(scene.a, 2);
    const auto task = scene.next(scene.a);
    scene.submit(scene.next(scene.a).id, scene.a);
    const auto last = scene.next(scene.a);
    scene.submit(last.id, scene.a);
    scene.go(batch, S::rejected);
    scene.go(batch, S::active);
    scene.reject(task.id);
    switch (way) {
      case 0: scene.service.must<commands::LockGranted>(LockTask{task.id}, scene.a); break;
      case 1:
        scene.service.must<commands::AnnotationsAdded>(
            AddAnnotations{task.id, {BatchScene::box()}, false}, scene.a);
        break;
      default: scene.next(scene.a); break;
    }
    EXPECT_EQ(scene.batch(batch).status, S::annotating) << way;
  }
}

TEST(BatchRuntime, a_batch_that_is_active_again_ends_with_its_last_submission) {
  BatchScene scene(1);
  const auto batch = scene.active(scene.a, 1);
  const auto task = scene.next(scene.a);
  scene.submit(task.id, scene.a);
  scene.go(batch, S::rejected);
  scene.go(batch, S::active);
  scene.reject(task.id);
  scene.service.must<commands::AnnotationsAdded>(AddAnnotations{task.id, {}, true}, scene.a);
  EXPECT_EQ(scene.rows().progress.at(batch.id).open(), 0);
  EXPECT_EQ(scene.batch(batch).status, S::reviewing);
}

TEST(BatchRuntime, a_batch_begun_without_open_tasks_goes_on_to_review) {
  BatchScene scene(1);
  const auto batch = scene.active(scene.a, 1);
  scene.work_off(scene.a);
  scene.go(batch, S::rejected);
  EXPECT_EQ(scene.go(batch, S::active).status, S::active);
  EXPECT_EQ(scene.go(batch, S::annotating).status, S::reviewing);
  scene.service.expect_refold_gives_the_same();
}

TEST(BatchRuntime, what_follows_is_in_the_same_append) {
  BatchScene scene(1);
  scene.active(scene.a, 1);
  const auto task = scene.next(scene.a);
  scene.submit(task.id, scene.a);
  const auto records = scene.service.records();
  for (const std::string trigger : {"task.taken", "task.submitted"}) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const auto& record) {
      return record.headers.type == trigger;
    });
    ASSERT_NE(found, records.end());
    EXPECT_FALSE(found->last_of_command) << trigger;
    ASSERT_NE(found + 1, records.end());
    EXPECT_EQ((found + 1)->headers.type, "batch.moved");
    EXPECT_TRUE((found + 1)->last_of_command);
  }
}

// --- People.

TEST(BatchRuntime, a_change_of_annotator_hands_every_open_task_over_and_touches_none) {
  BatchScene scene(6, true);
  const auto batch = scene.active(scene.a, 6);
  const auto rejected = scene.next(scene.a);
  scene.submit(rejected.id, scene.a);
  scene.reject(rejected.id);
  scene.service.must<TaskView>(AcceptRejection{rejected.id}, scene.a);
  const auto waits = scene.next(scene.a);
  ASSERT_EQ(waits.id, rejected.id);
  scene.submit(waits.id, scene.a);
  scene.reject(waits.id);  // T-1 rejected
  const auto begun = scene.service.must<commands::LockGranted>(LockTask{scene.rows().numbered(2)},
                                                               scene.a);  // T-2 in progress, held
  const auto done =
      scene.service.must<commands::LockGranted>(LockTask{scene.rows().numbered(3)}, scene.a);
  scene.submit(done.task_id, scene.a);
  scene.service.must<TaskView>(ApproveTask{done.task_id}, scene.reviewer);  // T-3 completed
  const auto records = scene.service.records().size();
  scene.give(batch, scene.b);
  EXPECT_EQ(scene.service.records().size(), records + 1) << "one fact, whatever the number";
  EXPECT_EQ(scene.service.count_records("batch.assigned"), 1U);
  EXPECT_EQ(scene.task(3).assignee_id, scene.a.id) << "completed work stays";
  EXPECT_EQ(scene.task(2).live_lock(scene.service.clock.now()), nullptr);
  const auto none = scene.none(scene.a);
  EXPECT_NE(none.reason, "all_done");
  EXPECT_EQ(Service::code(scene.service.call(
                AddAnnotations{begun.task_id, {BatchScene::box()}, false}, scene.a)),
            "TASK_NOT_HELD");
  EXPECT_EQ(scene.work_off(scene.b), (Order{"T-1", "T-2", "T-4", "T-5", "T-6"}));
  scene.rows().expect_counted();
  scene.service.expect_refold_gives_the_same();
}

TEST(BatchRuntime, a_change_of_reviewer_follows_in_every_task_that_is_not_completed) {
  BatchScene scene(2);
  const auto batch = scene.active(scene.a, 2);
  const auto done = scene.next(scene.a);
  scene.submit(done.id, scene.a);
  scene.service.must<TaskView>(ApproveTask{done.id}, scene.reviewer);
  UpdateBatch wish;
  wish.project_id = scene.project;
  wish.batch = ref(batch);
  wish.reviewer_id = Patch<UserId>(scene.owner.id);
  scene.service.must<BatchView>(wish, scene.owner);
  EXPECT_EQ(scene.task(1).reviewer_id, scene.reviewer.id);
  EXPECT_EQ(scene.task(2).reviewer_id, scene.owner.id);
  EXPECT_EQ(scene.task(2).assignee_id, scene.a.id);
}

TEST(BatchRuntime, the_batch_is_shown_with_its_people_and_counts) {
  BatchScene scene(3);
  auto wish = scene.wish(scene.a, 3);
  wish.reviewer_id = scene.reviewer.id;
  const auto made = scene.service.must<BatchView>(wish, scene.owner);
  EXPECT_EQ(made.display_id, "B-1");
  EXPECT_EQ(made.name, "B-1");
  EXPECT_EQ(made.status, S::draft);
  EXPECT_EQ(made.total_tasks, 3);
  EXPECT_EQ(made.progress.assigned, 3);
  EXPECT_EQ(made.assigned_user_ids, (std::vector{scene.a.id, scene.reviewer.id}));
  const auto active = scene.go(made, S::active);
  EXPECT_EQ(active.status, S::active);
  EXPECT_EQ(scene.give(made, std::nullopt).progress.pending, 3);
  EXPECT_EQ(scene.draft(scene.a, 5).display_id, "B-2");
}

}  // namespace
}  // namespace annolog::testing::batch_test
