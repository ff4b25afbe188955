// Which tasks a batch takes in and gives back, what a reset leaves, and retries of bulk calls.
#include "domain/codec/domain_json.hpp"
#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::batch_tasks_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;
using Order = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

BatchRef ref(const BatchView& batch) { return BatchScene::ref(batch); }

Numbers numbers_in(const BatchScene& scene, std::optional<BatchId> batch) {
  Numbers numbers;
  for (const auto& [id, task] : scene.rows().tasks) {
    if (task.batch_id == batch) numbers.push_back(task.number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Two datasets whose tasks alternate: of the first T-1 T-2 T-5 T-6, of the second T-3 T-4 T-7.
struct TwoDatasets : BatchScene {
  TwoDatasets() : BatchScene(2) {
    second = service.add_dataset("Films", owner);
    service.add_items(second, owner, 2);
    service.link(second, project, owner);
    service.add_items(dataset, owner, 2, "later");
    service.catch_up(dataset, project);
    service.add_items(second, owner, 1, "later");
    service.catch_up(second, project);
  }
  Numbers take(std::optional<std::int64_t> count, std::optional<DatasetId> of) {
    auto made = wish(std::nullopt, count);
    made.of_dataset = of;
    return numbers_in(*this, service.must<BatchView>(made, owner).id);
  }
  DatasetId second;
};

TEST(BatchTasksRuntime, the_oldest_come_first_whatever_their_dataset) {
  TwoDatasets scene;
  EXPECT_EQ(scene.take(3, {}), (Numbers{1, 2, 3}));
  EXPECT_EQ(scene.take(2, {}), (Numbers{4, 5}));
  EXPECT_EQ(scene.take(10'000, {}), (Numbers{6, 7}));
  EXPECT_EQ(scene.take(1, {}), Numbers{});
}

TEST(BatchTasksRuntime, or_the_oldest_of_one_dataset) {
  TwoDatasets scene;
  EXPECT_EQ(scene.take(1, scene.second), Numbers{3});
  EXPECT_EQ(scene.take(3, scene.dataset), (Numbers{1, 2, 5}));
  EXPECT_EQ(scene.take({}, scene.second), (Numbers{4, 7})) << "all of it";
  EXPECT_EQ(scene.take(9, scene.second), Numbers{}) << "all are elsewhere";
  CreateBatch unknown;
  unknown.project_id = scene.project;
  unknown.of_dataset = DatasetId{999};
  EXPECT_EQ(Service::code(scene.service.call(unknown, scene.owner)), "VALIDATION_ERROR");
  EXPECT_EQ(scene.take(9, {}), Numbers{6});
}

TEST(BatchTasksRuntime, what_comes_back_takes_its_old_place_in_the_row) {
  TwoDatasets scene;
  const auto batch = scene.draft(std::nullopt, 5);
  EXPECT_EQ(scene.take(1, {}), Numbers{6});
  const auto rows = scene.rows();
  const auto left = scene.service.must<BatchView>(
      RemoveBatchTasks{scene.project, ref(batch), {rows.numbered(4), rows.numbered(2)}},
      scene.owner);
  EXPECT_EQ(left.total_tasks, 3);
  EXPECT_EQ(scene.take(2, {}), (Numbers{2, 4}));
  scene.remove(batch);
  EXPECT_EQ(scene.take(2, {}), (Numbers{1, 3}));
}

TEST(BatchTasksRuntime, named_tasks_join_and_foreign_ones_are_unknown) {
  BatchScene scene(3);
  const auto batch = scene.draft(scene.a, 1);
  const auto rows = scene.rows();
  const auto add = [&](std::vector<TaskId> ids) {
    return scene.service.call(AddBatchTasks{scene.project, ref(batch), std::move(ids), {}, {}},
                              scene.owner);
  };
  EXPECT_EQ(Service::take<BatchView>(add({rows.numbered(3), rows.numbered(1)})).total_tasks, 2);
  EXPECT_EQ(numbers_in(scene, batch.id), (Numbers{1, 3}));
  EXPECT_EQ(Service::code(add({rows.numbered(2), TaskId{999'999}})), "VALIDATION_ERROR");
  const auto elsewhere = scene.service.add_project("Elsewhere", scene.owner);
  CreateBatch wish;
  wish.project_id = elsewhere;
  wish.task_ids = std::vector{rows.numbered(2)};
  EXPECT_EQ(Service::code(scene.service.call(wish, scene.owner)), "VALIDATION_ERROR");
  const auto other = scene.draft(scene.b, 1);
  EXPECT_EQ(Service::code(add({rows.numbered(2)})), "TASK_IN_OTHER_BATCH");
  EXPECT_EQ(numbers_in(scene, other.id), Numbers{2});
  scene.rows().expect_counted();
}

TEST(BatchTasksRuntime, a_deleted_batch_gives_its_tasks_back_to_everybody) {
  BatchScene scene(4);
  const auto batch = scene.active(std::nullopt, 3);
  const auto begun = scene.next(scene.a, ref(batch));
  EXPECT_EQ(scene.taken(scene.b), "T-4");
  scene.remove(batch);
  EXPECT_EQ(numbers_in(scene, std::nullopt), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(scene.refused(scene.a, ref(batch)), "NOT_FOUND");
  EXPECT_EQ(scene.taken(scene.a), begun.display_id) << "held work stays held";
  EXPECT_EQ(scene.work_off(scene.c), (Order{"T-2", "T-3"}));
  EXPECT_TRUE(scene.rows().batches.empty());
  EXPECT_TRUE(scene.rows().progress.empty());
  scene.rows().expect_counted();
  scene.service.expect_refold_gives_the_same();
}

TEST(BatchTasksRuntime, what_was_assigned_stays_assigned_without_the_batch) {
  BatchScene scene(3);
  const auto batch = scene.active(scene.a, 2);
  scene.remove(batch);
  EXPECT_EQ(scene.task(1).status, T::assigned);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-2", "T-3"}));
}

TEST(BatchTasksRuntime, a_display_id_is_never_used_again) {
  BatchScene scene(1);
  scene.remove(scene.draft(scene.a, 1));
  EXPECT_EQ(scene.draft(scene.a, 1).display_id, "B-2");
}

TEST(BatchTasksRuntime, a_reset_makes_all_pending_again) {
  BatchScene scene(5, true);
  const auto batch = scene.active(scene.a, 5);
  const auto submitted = scene.next(scene.a);
  scene.submit(submitted.id, scene.a);
  const auto rejected = scene.next(scene.a);
  scene.submit(rejected.id, scene.a);
  scene.reject(rejected.id);
  const auto done =
      scene.service.must<commands::LockGranted>(LockTask{scene.rows().numbered(3)}, scene.a);
  scene.submit(done.task_id, scene.a);
  scene.service.must<TaskView>(ApproveTask{done.task_id}, scene.reviewer);
  scene.service.must<commands::LockGranted>(LockTask{scene.rows().numbered(4)}, scene.a);
  const auto view = scene.service.must<BatchView>(
      ResetBatch{scene.project, ref(batch), "start it over"}, scene.owner);
  EXPECT_EQ(view.status, S::draft);
  EXPECT_EQ(view.progress.pending, 5);
  EXPECT_EQ(view.total_tasks, 5);
  for (std::int64_t n = 1; n <= 5; ++n) {
    const auto task = scene.task(n);
    EXPECT_EQ(task.status, T::pending) << n;
    EXPECT_EQ(task.lock, std::nullopt) << n;
    EXPECT_EQ(task.annotation_count, n <= 3 ? 1 : 0) << "annotations are kept";
  }
  EXPECT_EQ(scene.refused(scene.a, ref(batch)), "BATCH_NOT_OPEN");
  scene.go(batch, S::active);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-2", "T-3", "T-4", "T-5"}));
  scene.rows().expect_counted();
  scene.service.expect_refold_gives_the_same();
}

// --- Retries.

std::string text_of(const Outcome& outcome) {
  if (!outcome.reply) return outcome.reply.error().code;
  if (const auto* bulk = std::get_if<BulkOutcome>(&outcome.reply.value())) {
    return codec::to_json_text(*bulk);
  }
  if (const auto* dealt = std::get_if<DistributeOutcome>(&outcome.reply.value())) {
    return codec::to_json_text(*dealt);
  }
  return "another kind of reply";
}

TEST(BatchTasksRuntime, a_retried_bulk_call_tells_the_first_outcome) {
  BatchScene scene(3);
  const auto one = scene.active(scene.a, 1);
  const auto two = scene.draft(std::nullopt, 1);
  const std::vector<BatchRef> named{ref(one), BatchRef{0, 2, {}}, batch_ref_from("B-DEFAULT"),
                                    BatchRef{999'999, 0, {}}, ref(one)};
  const std::vector<commands::Command> calls{
      ReassignBatches{scene.project, {ref(one), ref(two)}, Patch<UserId>(scene.b.id), {}, {}},
      DistributeBatches{
          scene.project, {scene.c.id}, {scene.reviewer.id}, DistributeScope::unassigned, {}},
      ChangeBatches{scene.project, BulkAction::activate, named},
      ChangeBatches{scene.project, BulkAction::archive, named},
      ChangeBatches{scene.project, BulkAction::remove, named}};
  std::vector<Outcome> first;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    first.push_back(scene.service.call(calls[i], scene.owner, "k" + std::to_string(i), "body"));
    EXPECT_TRUE(first.back().reply) << i;
    EXPECT_FALSE(first.back().replayed);
  }
  EXPECT_TRUE(scene.rows().batches.empty());
  EXPECT_EQ(scene.service.count_records("batches.changed"), calls.size()) << "one trace a call";
  const auto records = scene.service.records().size();
  scene.service.restart();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto again = scene.service.call(calls[i], scene.owner, "k" + std::to_string(i), "body");
    EXPECT_TRUE(again.replayed) << i;
    EXPECT_EQ(again.position, first[i].position) << i;
    EXPECT_EQ(text_of(again), text_of(first[i])) << i;
  }
  EXPECT_EQ(scene.service.records().size(), records);
  scene.service.expect_refold_gives_the_same();
}

TEST(BatchTasksRuntime, a_bulk_call_that_changed_nothing_is_told_again_too) {
  BatchScene scene(1);
  const auto batch = scene.draft(std::nullopt, 1);
  const ChangeBatches call{scene.project, BulkAction::activate, {ref(batch)}};
  const auto first = scene.service.call(call, scene.owner, "k", "body");
  EXPECT_EQ(std::get<BulkOutcome>(first.reply.value()).failed.size(), 1U) << "it has no annotator";
  scene.give(batch, scene.a);
  const auto again = scene.service.call(call, scene.owner, "k", "body");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(text_of(again), text_of(first));
  EXPECT_EQ(scene.batch(batch).status, S::draft);
}

TEST(BatchTasksRuntime, a_retried_creation_makes_one_batch) {
  BatchScene scene(4);
  const auto wish = scene.wish(scene.a, 2);
  const auto first = Service::take<BatchView>(scene.service.call(wish, scene.owner, "k", "body"));
  const auto outcome = scene.service.call(wish, scene.owner, "k", "body");
  EXPECT_TRUE(outcome.replayed);
  EXPECT_EQ(Service::take<BatchView>(outcome).id, first.id);
  EXPECT_EQ(scene.rows().batches.size(), 1U);
  EXPECT_EQ(numbers_in(scene, std::nullopt), (Numbers{3, 4}));
}

TEST(BatchTasksRuntime, a_retried_creation_of_a_batch_that_is_gone_does_not_show_an_empty_one) {
  BatchScene scene(1);
  const auto wish = scene.wish(scene.a, 1);
  const auto made = Service::take<BatchView>(scene.service.call(wish, scene.owner, "k", "body"));
  scene.remove(made);
  const auto again = scene.service.call(wish, scene.owner, "k", "body");
  if (again.reply) {
    EXPECT_EQ(std::get<BatchView>(again.reply.value()).id, made.id);
  } else {
    EXPECT_EQ(Service::code(again), "NOT_FOUND");
  }
}

}  // namespace
}  // namespace annolog::testing::batch_tasks_test
