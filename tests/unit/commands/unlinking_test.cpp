// A dataset leaves a project: nothing of its tasks is left, whatever is under way meanwhile.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "commands/state/key.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::unlinking_test {
namespace {

using commands::Key;
using commands::ReadUnlinking;
using commands::Remains;
using commands::Table;

Shape box() {
  Shape shape;
  shape.class_name = "car";
  shape.geometry = Bbox{0.1, 0.1, 0.2, 0.2};
  return shape;
}

struct Scene {
  explicit Scene(ServiceOptions options = {}) : service(options) {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    dataset = add_linked("Photos", 12);
  }
  DatasetId add_linked(const std::string& name, int items) {
    const auto made = service.add_dataset(name, owner);
    service.add_items(made, owner, items);
    service.link(made, project, owner);
    return made;
  }
  std::int64_t link_number(DatasetId of) {
    return service.must<commands::LinkProgress>(commands::ReadLink{of, project}, kSystem).link;
  }
  Outcome unlink(DatasetId of, const std::string& key = "") {
    return service.call(UnlinkDataset{project, of, link_number(of)}, owner, key);
  }
  // The dataset's, for good; its number.
  std::int64_t end_link() {
    const auto number = link_number(dataset);
    unlink(dataset);
    settle();
    return number;
  }
  bool is_unfinished(std::optional<DatasetId> of = std::nullopt) {
    return service.must<Remains>(ReadUnlinking{project, of.value_or(dataset)}, kSystem).any;
  }
  void settle(std::optional<DatasetId> of = std::nullopt) {
    for (int i = 0; i < 1'000'000 && is_unfinished(of); ++i) std::this_thread::yield();
    EXPECT_FALSE(is_unfinished(of));
  }
  std::map<char, std::size_t> rows() {
    std::map<char, std::size_t> counts;
    for (const auto& shard : service.dump())
      for (const auto& [key, value] : shard) ++counts[key.front()];
    return counts;
  }
  std::size_t rows_of(Table table) { return rows()[static_cast<char>(table)]; }
  TaskId take() { return service.must<TaskView>(TakeNextTask{project, {}}, annotator).id; }
  void annotate(TaskId task) {
    service.must<commands::AnnotationsAdded>(AddAnnotations{task, {box(), box()}, false},
                                             annotator);
  }

  Service service;
  Who owner, annotator;
  ProjectId project;
  DatasetId dataset;
};

TEST(Unlinking, leaves_nothing_of_the_tasks) {
  Scene scene;
  const TaskId task = scene.take();
  scene.annotate(task);
  scene.service.must<CommentView>(AddComment{task, "look", std::nullopt, {}}, scene.annotator);
  EXPECT_EQ(Service::code(scene.unlink(scene.dataset)), "ok");
  scene.settle();
  for (const Table table :
       {Table::task, Table::task_of_item, Table::annotation, Table::comment, Table::lock,
        Table::own_work, Table::pending_queue, Table::unclassified, Table::link_of_project})
    EXPECT_EQ(scene.rows_of(table), 0U) << static_cast<char>(table);
  EXPECT_EQ(scene.service.count_records("dataset.unlinked"), 1U);
  EXPECT_EQ(scene.service.count_records("project.unlink_finished"), 1U);
  EXPECT_EQ(Service::code(scene.service.call(LockTask{task}, scene.annotator)), "NOT_FOUND");
  // Neither the class nor the project is in use any more.
  UpdateProject wish;
  wish.project_id = scene.project;
  wish.classes_config = std::vector<ClassSpec>{{"bus", "", {}}};
  EXPECT_EQ(Service::code(scene.service.call(wish, scene.owner)), "ok");
  const Who root = scene.service.add_user(Role::super_admin);
  EXPECT_EQ(Service::code(scene.service.call(DeleteProject{scene.project, {}}, root)), "ok");
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, other_datasets_keep_their_tasks) {
  Scene scene;
  scene.add_linked("Other", 5);
  scene.unlink(scene.dataset);
  scene.settle();
  EXPECT_EQ(scene.rows_of(Table::task), 5U);
  EXPECT_EQ(scene.rows_of(Table::unclassified), 5U);
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, batches_that_lose_all_their_tasks_go_and_others_stay) {
  Scene scene;
  const auto fill = [&](DatasetId from, std::int64_t count, const std::string& name) {
    CreateBatch wish;
    wish.project_id = scene.project;
    wish.name = name;
    wish.task_count = count;
    wish.of_dataset = from;
    scene.service.must<BatchView>(wish, scene.owner);
  };
  const DatasetId other = scene.add_linked("Other", 5);
  fill(scene.dataset, 4, "goes");
  fill(other, 5, "stays");
  CreateBatch empty;
  empty.project_id = scene.project;
  empty.name = "was empty before";
  scene.service.must<BatchView>(empty, scene.owner);
  scene.unlink(scene.dataset);
  scene.settle();
  EXPECT_EQ(scene.service.count_records("batch.deleted"), 1U);
  EXPECT_EQ(scene.rows_of(Table::batch), 2U);
  EXPECT_EQ(scene.rows_of(Table::batch_task), 5U);
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, a_batch_that_keeps_only_done_work_goes_to_review) {
  Scene scene;
  const DatasetId other = scene.add_linked("Other", 3);
  CreateBatch wish;
  wish.project_id = scene.project;
  wish.annotator_id = scene.annotator.id;
  wish.of_dataset = scene.dataset;
  wish.task_count = 1;
  const auto batch = scene.service.must<BatchView>(wish, scene.owner);
  const BatchRef ref{batch.id.value, 0, {}};
  scene.service.must<BatchView>(AddBatchTasks{scene.project, ref, {}, other, {}}, scene.owner);
  scene.service.must<BatchView>(MoveBatch{scene.project, ref, BatchStatus::active, {}, {}},
                                scene.owner);
  const auto as_it_is = [&] {
    UpdateBatch nothing;
    nothing.project_id = scene.project;
    nothing.batch = ref;
    return scene.service.must<BatchView>(nothing, scene.owner);
  };
  const auto task = scene.service.must<TaskView>(TakeNextTask{scene.project, ref}, scene.annotator);
  ASSERT_EQ(task.dataset_id, scene.dataset);
  scene.service.must<commands::AnnotationsAdded>(AddAnnotations{task.id, {}, true},
                                                 scene.annotator);
  ASSERT_EQ(as_it_is().status, BatchStatus::annotating);
  scene.unlink(other);
  scene.settle(other);
  EXPECT_EQ(as_it_is().status, BatchStatus::reviewing);
  EXPECT_EQ(as_it_is().total_tasks, 1);
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, goes_on_after_a_crash) {
  Scene scene;
  scene.service.restart_without_links();
  EXPECT_EQ(Service::code(scene.unlink(scene.dataset)), "ok");
  EXPECT_TRUE(scene.is_unfinished());
  EXPECT_EQ(scene.rows_of(Table::task), 12U);
  EXPECT_EQ(Service::code(
                scene.service.call(CheckLinkAllowed{scene.project, scene.dataset}, scene.owner)),
            "UNLINK_UNDER_WAY");
  scene.service.start_links();
  scene.settle();
  EXPECT_EQ(scene.rows_of(Table::task), 0U);
}

TEST(Unlinking, a_step_of_the_link_that_comes_late_makes_no_tasks) {
  Scene scene;
  const auto number = scene.end_link();
  const CreateTasks late{scene.project, scene.dataset, {{ItemId{4}, "a", "a", 1, 1}}, number};
  EXPECT_EQ(scene.service.must<commands::TasksMade>(late, kSystem).created_tasks, 0);
  EXPECT_EQ(scene.rows_of(Table::task), 0U);
}

TEST(Unlinking, a_mark_of_the_ended_link_that_comes_late_hides_no_item_from_the_new_one) {
  Scene scene;
  const auto ended = scene.end_link();
  scene.service.restart_without_links();
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.project}, scene.owner);
  scene.service.call(AdvanceLink{scene.dataset, scene.project, 1'000, ended}, kSystem);
  scene.service.start_links();
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.rows_of(Table::task), 12U);
}

TEST(Unlinking, a_step_of_the_removal_that_comes_late_leaves_the_tasks_of_a_new_link) {
  Scene scene;
  const auto ended = scene.end_link();
  scene.service.link(scene.dataset, scene.project, scene.owner);
  scene.service.catch_up(scene.dataset, scene.project);
  ASSERT_EQ(scene.rows_of(Table::task), 12U);
  const RemoveDatasetTasks late{scene.project, scene.dataset, ended};
  EXPECT_FALSE(scene.service.must<Remains>(late, kSystem).any);
  EXPECT_EQ(scene.rows_of(Table::task), 12U);
}

TEST(Unlinking, a_late_end_of_one_removal_ends_not_the_next_one) {
  Scene scene;
  const auto ended = scene.end_link();
  scene.service.link(scene.dataset, scene.project, scene.owner);
  scene.service.catch_up(scene.dataset, scene.project);
  scene.service.restart_without_links();
  scene.unlink(scene.dataset);
  scene.service.call(FinishUnlinking{scene.project, scene.dataset, ended}, kSystem);
  EXPECT_TRUE(scene.is_unfinished());
  scene.service.start_links();
  scene.settle();
  EXPECT_EQ(scene.rows_of(Table::task), 0U);
}

// Who asked whether a link is allowed before the unlinking began links behind it.
TEST(Unlinking, a_new_link_makes_its_tasks_when_the_end_of_the_last_one_is_over) {
  Scene scene;
  const auto ended = scene.link_number(scene.dataset);
  scene.service.restart_without_links();
  scene.unlink(scene.dataset);
  const RemoveDatasetTasks removing{scene.project, scene.dataset, ended};
  EXPECT_FALSE(scene.service.must<Remains>(removing, kSystem).any);
  scene.service.call(DropLink{scene.dataset, scene.project, ended}, kSystem);
  scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.project}, scene.owner);
  const CreateTasks step{scene.project,
                         scene.dataset,
                         {{ItemId{4}, "a", "a", 1, 1}},
                         scene.link_number(scene.dataset)};
  EXPECT_EQ(Service::code(scene.service.call(step, kSystem)), "UNLINK_UNDER_WAY");
  scene.service.start_links();
  scene.settle();
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.rows_of(Table::task), 12U);
}

TEST(Unlinking, linked_anew_every_item_becomes_a_task_again) {
  Scene scene;
  for (int round = 1; round <= 5; ++round) {
    scene.unlink(scene.dataset);
    scene.settle();
    scene.service.must<commands::TasksMade>(LinkDataset{scene.dataset, scene.project}, scene.owner);
    for (int i = 0; i < 1'000'000 && scene.rows_of(Table::task) < 12; ++i)
      std::this_thread::yield();
    ASSERT_EQ(scene.rows_of(Table::task), 12U) << "round " << round;
  }
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, more_tasks_than_one_step_takes) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner,
                          static_cast<int>(RemoveDatasetTasks::kTasksMax), "more");
  scene.service.catch_up(scene.dataset, scene.project);
  scene.unlink(scene.dataset);
  scene.settle();
  EXPECT_EQ(scene.service.count_records("tasks.removed"), 2U);
  EXPECT_EQ(scene.rows_of(Table::task), 0U);
}

// Takes and submits tasks until there are none.
void work_until_none(Scene& scene, Who who, std::atomic<std::size_t>& done) {
  for (;;) {
    const auto next = scene.service.call(TakeNextTask{scene.project, {}}, who);
    EXPECT_EQ(Service::code(next), "ok");
    const auto* task = next.reply ? std::get_if<TaskView>(&next.reply.value()) : nullptr;
    if (task == nullptr) return;
    const auto saved = scene.service.call(AddAnnotations{task->id, {box()}, true}, who);
    if (saved.reply) {
      ++done;
    } else {
      EXPECT_EQ(Service::code(saved), "NOT_FOUND") << "it went meanwhile";
    }
  }
}

TEST(Unlinking, whoever_works_on_through_all_its_steps_leaves_nothing_behind) {
  Scene scene;
  scene.service.add_items(scene.dataset, scene.owner, 3 * RemoveDatasetTasks::kTasksMax, "more");
  scene.service.catch_up(scene.dataset, scene.project);
  std::atomic<std::size_t> done{0};
  std::vector<std::thread> people;
  for (int i = 0; i < 4; ++i) {
    const Who who = scene.service.add_user(Role::annotator);
    scene.service.add_member(scene.project, scene.owner, who);
    people.emplace_back([&, who] { work_until_none(scene, who, done); });
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (done < 100 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_GE(done.load(), 100U);
  EXPECT_EQ(Service::code(scene.unlink(scene.dataset)), "ok");
  for (auto& one : people) one.join();
  scene.settle();
  EXPECT_EQ(scene.service.count_records("task.submitted"), done.load());
  EXPECT_EQ(scene.service.count_records("tasks.removed"), 4U);
  for (const Table table :
       {Table::task, Table::task_of_item, Table::annotation, Table::lock, Table::own_work,
        Table::pending_queue, Table::unclassified, Table::link_of_project})
    EXPECT_EQ(scene.rows_of(table), 0U) << static_cast<char>(table);
  scene.service.expect_refold_gives_the_same();
}

TEST(Unlinking, a_retry_with_its_key_is_answered_as_the_first_call) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.unlink(scene.dataset, "key")), "ok");
  scene.settle();
  const auto again =
      scene.service.call(UnlinkDataset{scene.project, scene.dataset, 0}, scene.owner, "key");
  EXPECT_TRUE(again.reply && again.replayed);
  EXPECT_EQ(Service::code(
                scene.service.call(UnlinkDataset{scene.project, scene.dataset, 0}, scene.owner)),
            "NOT_FOUND");
}

TEST(Unlinking, an_earlier_answer_about_a_removed_task_is_not_given_again) {
  Scene scene;
  const TakeNextTask next{scene.project, {}};
  const TaskId task = Service::take<TaskView>(scene.service.call(next, scene.annotator, "next")).id;
  scene.service.call(LockTask{task}, scene.annotator, "lock");
  scene.service.call(AddAnnotations{task, {}, true}, scene.annotator, "submit");
  scene.unlink(scene.dataset);
  scene.settle();
  EXPECT_EQ(Service::code(scene.service.call(next, scene.annotator, "next")), "NOT_FOUND");
  EXPECT_EQ(Service::code(scene.service.call(LockTask{task}, scene.annotator, "lock")),
            "NOT_FOUND");
  EXPECT_EQ(
      Service::code(scene.service.call(AddAnnotations{task, {}, true}, scene.annotator, "submit")),
      "NOT_FOUND");
}

TEST(Replays, who_left_the_project_is_not_shown_it_again) {
  Scene scene;
  const TakeNextTask next{scene.project, {}};
  EXPECT_EQ(Service::code(scene.service.call(next, scene.annotator, "next")), "ok");
  EXPECT_TRUE(scene.service.call(next, scene.annotator, "next").replayed);
  scene.service.call(RemoveMember{scene.project, scene.annotator.id}, scene.owner);
  EXPECT_EQ(Service::code(scene.service.call(next, scene.annotator, "next")), "NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::unlinking_test
