// tasks/next: the order of what is offered, and that no two callers ever hold one task.
#include <set>
#include <thread>

#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::next_task_test {
namespace {

using commands::NoTask;

struct Scene {
  explicit Scene(int items, ServiceOptions options = {}) : service(options) {
    owner = service.add_user(Role::project_admin);
    a = service.add_user(Role::annotator);
    b = service.add_user(Role::annotator);
    reviewer = service.add_user(Role::reviewer);
    viewer = service.add_user(Role::viewer);
    project = service.add_project("Streets", owner);
    for (const Who user : {a, b, reviewer, viewer}) service.add_member(project, owner, user);
    dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, items);
    service.link(dataset, project, owner);
  }
  TaskView next(Who who) { return service.must<TaskView>(TakeNextTask{project, {}}, who); }
  NoTask none(Who who) { return service.must<NoTask>(TakeNextTask{project, {}}, who); }
  void submit(TaskId task, Who who) {
    service.must<commands::AnnotationsAdded>(AddAnnotations{task, {}, true}, who);
  }
  void reject(TaskId task) {
    service.must<TaskView>(RejectTask{task, RejectReason::extra, std::nullopt}, reviewer);
  }

  Service service;
  Who owner, a, b, reviewer, viewer;
  ProjectId project;
  DatasetId dataset;
};

TEST(NextTask, the_caller_keeps_its_locked_task_and_the_lock_is_renewed) {
  Scene scene(3);
  const auto first = scene.next(scene.a);
  scene.service.clock.advance(60'000);
  const auto again = scene.next(scene.a);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.lock->expires_at, first.lock->expires_at + 60'000);
}

TEST(NextTask, pending_tasks_come_oldest_first_and_to_one_caller_each) {
  Scene scene(3);
  EXPECT_EQ(scene.next(scene.a).display_id, "T-1");
  EXPECT_EQ(scene.next(scene.b).display_id, "T-2");
  EXPECT_EQ(scene.next(scene.reviewer).display_id, "T-3");
}

TEST(NextTask, own_rejected_work_comes_before_own_begun_work_and_that_before_new) {
  Scene scene(4);
  const auto first = scene.next(scene.a);
  scene.submit(first.id, scene.a);
  const auto second = scene.next(scene.a);
  scene.service.must<std::monostate>(UnlockTask{second.id}, scene.a);
  EXPECT_EQ(scene.next(scene.a).id, second.id) << "own work in progress before new";
  scene.service.must<std::monostate>(UnlockTask{second.id}, scene.a);
  scene.reject(first.id);
  const auto rejected = scene.next(scene.a);
  EXPECT_EQ(rejected.id, first.id) << "own rejected work first";
  EXPECT_EQ(rejected.lock->user_id, scene.a.id);
  EXPECT_EQ(scene.next(scene.b).display_id, "T-3") << "others' work is not offered";
}

TEST(NextTask, own_work_that_another_holds_is_passed_over) {
  Scene scene(2);
  const auto first = scene.next(scene.a);
  scene.service.must<std::monostate>(UnlockTask{first.id}, scene.a);
  scene.service.must<commands::LockGranted>(LockTask{first.id}, scene.b);
  EXPECT_EQ(scene.next(scene.a).display_id, "T-2");
  EXPECT_EQ(scene.next(scene.b).id, first.id) << "a live lock comes before all";
}

TEST(NextTask, an_expired_lock_is_as_none) {
  Scene scene(1);
  const auto task = scene.next(scene.a);
  scene.service.clock.advance(kDefaultLockMs);
  EXPECT_EQ(scene.none(scene.b).reason, "none_assigned") << "begun work stays with its assignee";
  scene.service.must<commands::LockGranted>(LockTask{task.id}, scene.b);
  EXPECT_EQ(Service::code(scene.service.call(LockTask{task.id}, scene.a)), "TASK_LOCKED");
}

TEST(NextTask, why_there_is_none) {
  Scene scene(1);
  const auto task = scene.next(scene.a);
  scene.service.clock.advance(1500);
  const auto locked = scene.none(scene.b);
  EXPECT_EQ(locked.reason, "all_locked");
  EXPECT_EQ(locked.retry_after_s, (kDefaultLockMs - 1500 + 999) / 1000);
  scene.service.must<std::monostate>(UnlockTask{task.id}, scene.a);
  EXPECT_EQ(scene.none(scene.b).reason, "none_assigned");
  EXPECT_EQ(scene.none(scene.b).retry_after_s, 0);
  scene.submit(task.id, scene.a);
  EXPECT_EQ(scene.none(scene.a).reason, "all_done");
  EXPECT_EQ(scene.none(scene.b).reason, "all_done");
}

TEST(NextTask, who_may_ask) {
  Scene scene(1);
  const auto stranger = scene.service.add_user(Role::project_admin);
  const TakeNextTask ask{scene.project, {}};
  EXPECT_EQ(Service::code(scene.service.call(ask, scene.viewer)), "FORBIDDEN");
  EXPECT_EQ(Service::code(scene.service.call(ask, stranger)), "NOT_FOUND");
  EXPECT_EQ(Service::code(scene.service.call(TakeNextTask{ProjectId{99}, {}}, scene.a)),
            "NOT_FOUND");
  UpdateProject archive;
  archive.project_id = scene.project;
  archive.status = ProjectStatus::archived;
  scene.service.must<ProjectView>(archive, scene.owner);
  EXPECT_EQ(Service::code(scene.service.call(ask, scene.a)), "PROJECT_ARCHIVED");
}

TEST(NextTask, tasks_that_come_later_are_offered_too) {
  Scene scene(1);
  scene.submit(scene.next(scene.a).id, scene.a);
  EXPECT_EQ(scene.none(scene.a).reason, "all_done");
  scene.service.add_items(scene.dataset, scene.owner, 1, "later");
  scene.service.catch_up(scene.dataset, scene.project);
  EXPECT_EQ(scene.next(scene.a).display_id, "T-2");
}

TEST(NextTask, an_unwritten_take_leaves_the_task_for_the_next_caller) {
  Scene scene(2);
  scene.service.faults->outcome = eventstore::CommitOutcome::refused_no_space;
  EXPECT_EQ(Service::code(scene.service.call(TakeNextTask{scene.project, {}}, scene.a)),
            "STORAGE_FULL");
  scene.service.faults->outcome = eventstore::CommitOutcome::ok;
  EXPECT_EQ(scene.next(scene.b).display_id, "T-1");
  EXPECT_EQ(scene.next(scene.a).display_id, "T-2");
}

TEST(NextTask, sixty_four_threads_get_five_hundred_tasks_once_each) {
  constexpr int kTasks = 500;
  constexpr int kThreads = 64;
  Scene scene(kTasks);
  std::vector<Who> users;
  for (int i = 0; i < kThreads; ++i) {
    users.push_back({UserId{1000 + i}, Role::super_admin});
  }
  std::vector<std::vector<TaskId>> got(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Who who = users[static_cast<std::size_t>(i)];
      for (;;) {
        auto outcome = scene.service.call(TakeNextTask{scene.project, {}}, who);
        if (!outcome.reply) break;
        const auto* task = std::get_if<TaskView>(&outcome.reply.value());
        if (task == nullptr) break;
        got[static_cast<std::size_t>(i)].push_back(task->id);
        if (!scene.service.call(AddAnnotations{task->id, {}, true}, who).reply) break;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<TaskId> all;
  std::size_t count = 0;
  for (const auto& some : got) {
    count += some.size();
    all.insert(some.begin(), some.end());
  }
  EXPECT_EQ(count, static_cast<std::size_t>(kTasks)) << "no task twice";
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kTasks)) << "none lost";
}

}  // namespace
}  // namespace annolog::testing::next_task_test
