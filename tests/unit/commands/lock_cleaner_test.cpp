// Locks that are over leave the shard's state: the step, and the process that takes the steps.
#include "commands/process_managers/lock_cleaner.hpp"

#include <chrono>
#include <thread>

#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::lock_cleaner_test {
namespace {

using commands::ExpireLocks;
using commands::Remains;
using commands::Table;

constexpr int kMore = 50;  // than one step takes
constexpr auto kTasks = static_cast<int>(ExpireLocks::kTasksMax) + kMore;

struct Scene : BatchScene {
  using BatchScene::BatchScene;

  // Whether there is more.
  bool clean() {
    const auto shard = commands::shard_of(project.value, service.log->shard_count());
    return service.must<Remains>(ExpireLocks{shard.value}, kSystem).any;
  }
  std::size_t told() const { return service.count_records("task.lock_expired"); }
  std::size_t rows_of(Table table) const {
    std::size_t count = 0;
    for (const auto& shard : service.dump()) {
      for (const auto& [key, value] : shard) {
        if (key.front() == static_cast<char>(table)) ++count;
      }
    }
    return count;
  }
  void expect_locks(std::size_t count) const {
    EXPECT_EQ(rows_of(Table::lock), count);
    EXPECT_EQ(rows_of(Table::lock_end), count);
  }
  commands::LockGranted lock(TaskId task, Who who) {
    return service.must<commands::LockGranted>(LockTask{task}, who);
  }
  // Until so many are told of.
  void settle(std::size_t count) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (told() < count) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it never came";
      std::this_thread::yield();
    }
  }
  void lock_all(Who who) {
    const Rows all = rows();
    for (const auto& [id, task] : all.tasks) lock(id, who);
  }
};

TEST(ExpireLocks, a_lock_that_is_over_leaves_the_task_and_the_indexes) {
  Scene scene(1);
  scene.next(scene.a);
  TaskState expected = scene.task(1);
  scene.service.clock.advance(kDefaultLockMs - 1);
  EXPECT_FALSE(scene.clean());
  EXPECT_EQ(scene.told(), 0U);
  scene.expect_locks(1);
  scene.service.clock.advance(1);
  EXPECT_FALSE(scene.clean());
  EXPECT_EQ(scene.told(), 1U);
  scene.expect_locks(0);
  expected.lock.reset();
  EXPECT_TRUE(scene.task(1) == expected) << "version, times, status and people stay";
  EXPECT_FALSE(scene.clean());
  EXPECT_EQ(scene.told(), 1U) << "told once";
  scene.service.expect_refold_gives_the_same();
}

TEST(ExpireLocks, the_task_stays_with_its_assignee_and_is_locked_as_before) {
  Scene scene(2);
  const auto task = scene.next(scene.a);
  scene.service.clock.advance(kDefaultLockMs);
  scene.clean();
  EXPECT_EQ(scene.taken(scene.b), "T-2");
  EXPECT_EQ(scene.none(scene.c).reason, "none_assigned");
  EXPECT_EQ(scene.lock(task.id, scene.a).locked_at, scene.service.clock.now());
  EXPECT_EQ(scene.none(scene.c).reason, "all_locked");
}

TEST(ExpireLocks, one_that_was_renewed_or_given_back_stays_untold) {
  Scene scene(2);
  const auto renewed = scene.next(scene.a);
  const auto returned = scene.next(scene.b);
  scene.service.clock.advance(kDefaultLockMs / 2);
  const auto until = scene.lock(renewed.id, scene.a).expires_at;
  scene.unlock(returned.id, scene.b);
  scene.expect_locks(1);
  scene.service.clock.advance(kDefaultLockMs / 2);
  EXPECT_FALSE(scene.clean());
  EXPECT_EQ(scene.told(), 0U);
  EXPECT_EQ(scene.task(1).lock->expires_at, until);
  scene.service.expect_refold_gives_the_same();
}

TEST(ExpireLocks, many_go_in_several_steps) {
  Scene scene(kTasks);
  scene.lock_all(scene.c);
  scene.service.clock.advance(kDefaultLockMs);
  EXPECT_TRUE(scene.clean());
  scene.expect_locks(kMore);
  EXPECT_FALSE(scene.clean());
  scene.expect_locks(0);
  EXPECT_EQ(scene.told(), static_cast<std::size_t>(kTasks));
  scene.service.expect_refold_gives_the_same();
}

// The row keeps it until something happens to the task (docs/decisions/0015).
TEST(ExpireLocks, one_that_a_change_of_people_freed_goes_at_its_end) {
  Scene scene(2);
  const auto batch = scene.active(scene.a, 2);
  scene.next(scene.a);
  scene.give(batch, scene.b);
  const TaskState before = scene.task(1);
  EXPECT_FALSE(before.lock);
  scene.expect_locks(1);
  scene.service.clock.advance(kDefaultLockMs);
  scene.clean();
  scene.expect_locks(0);
  EXPECT_TRUE(scene.task(1) == before);
  scene.rows().expect_counted();
  EXPECT_EQ(scene.taken(scene.b), "T-1");
  scene.service.expect_refold_gives_the_same();
}

struct Cleaned : Scene {
  Cleaned() : Scene(kTasks) {
    lock_all(c);
    for (std::uint16_t s = 0; s < service.log->shard_count(); ++s)
      cleaner.own(eventstore::ShardId(s));
  }
  void settle() const { Scene::settle(static_cast<std::size_t>(kTasks)); }

  platform::Logger logger{service.clock, platform::LogLevel::error, [](std::string_view) {}};
  commands::LockCleaner cleaner{*service.runtime, *service.log, service.clock, logger,
                                std::chrono::milliseconds(1)};
};

TEST(LockCleaner, clears_away_what_is_over_and_what_will_be) {
  Cleaned scene;
  scene.cleaner.start();
  scene.lock(scene.rows().numbered(1), scene.c);  // while it looks
  EXPECT_EQ(scene.told(), 0U);
  scene.service.clock.advance(kDefaultLockMs);
  scene.settle();
  scene.cleaner.stop();
  scene.expect_locks(0);
  EXPECT_EQ(scene.told(), static_cast<std::size_t>(kTasks)) << "each once";
}

// As after a start with another setting.
TEST(LockCleaner, sees_locks_that_end_before_those_that_it_has_seen) {
  constexpr std::int64_t kShortMs = 60'000;
  constexpr std::size_t kTimes = 20;
  Scene scene(2);
  scene.lock(scene.rows().numbered(1), scene.c);
  scene.service.restart_with_lock_ms(kShortMs);
  platform::Logger logger(scene.service.clock, platform::LogLevel::error, [](std::string_view) {});
  commands::LockCleaner cleaner(*scene.service.runtime, *scene.service.log, scene.service.clock,
                                logger, std::chrono::milliseconds(1));
  for (std::uint16_t s = 0; s < scene.service.log->shard_count(); ++s)
    cleaner.own(eventstore::ShardId(s));
  cleaner.start();
  for (std::size_t told = 1; told <= kTimes; ++told) {
    scene.lock(scene.rows().numbered(2), scene.c);
    scene.service.clock.advance(kShortMs);
    scene.settle(told);
  }
}

TEST(LockCleaner, what_was_refused_is_tried_again) {
  Cleaned scene;
  scene.service.clock.advance(kDefaultLockMs);
  scene.service.faults->outcome = eventstore::CommitOutcome::refused_no_space;
  const int commits = scene.service.faults->commits;
  scene.cleaner.start();
  while (scene.service.faults->commits < commits + 3) std::this_thread::yield();
  EXPECT_EQ(scene.told(), 0U);
  scene.service.faults->outcome = eventstore::CommitOutcome::ok;
  scene.settle();
}

TEST(LockCleaner, stops_while_there_is_more) {
  Cleaned scene;
  scene.service.clock.advance(kDefaultLockMs);
  scene.cleaner.start();
  scene.cleaner.stop();
  EXPECT_LE(scene.told(), static_cast<std::size_t>(kTasks));
}

}  // namespace
}  // namespace annolog::testing::lock_cleaner_test
