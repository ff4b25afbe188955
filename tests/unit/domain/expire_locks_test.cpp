// Locks that are over are told and cleared away, and nothing else changes by it.
#include "domain/task/expire_locks.hpp"

#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::expire_locks_test {
namespace {

const TaskLockExpired kExpired{kProject, kTask, kAnnotator, kLockEnd};

Given locked(TaskStatus status = TaskStatus::in_progress, Timestamp until = kLockEnd) {
  return given_task(status, false,
                    {{Event{TaskLocked{kProject, kTask, kAnnotator, until}}, kAnnotator}});
}

Outcome when_cleaned(const Given& on, Timestamp now) {
  return Outcome(expire_locks({on.world.task}, now));
}

TEST(ExpireLocks, a_lock_that_is_over_is_told_with_its_own_end) {
  when_cleaned(locked(), kLockEnd + 60'000).then({kExpired});
}

TEST(ExpireLocks, it_is_over_at_the_very_instant_of_expiry) {
  when_cleaned(locked(), Timestamp{kLockEnd.ms - 1}).then_nothing();
  when_cleaned(locked(), kLockEnd).then({kExpired});
}

TEST(ExpireLocks, one_that_was_renewed_or_given_back_meanwhile_is_passed_over) {
  auto renewed = locked();
  renewed.world.happened(TaskLockRenewed{kProject, kTask, kAnnotator, kLockEnd + 60'000},
                         {kAnnotator, kNow});
  when_cleaned(renewed, kLockEnd).then_nothing();
  auto returned = locked();
  returned.world.happened(TaskUnlocked{kProject, kTask, kAnnotator}, {kAnnotator, kNow});
  when_cleaned(returned, kLockEnd).then_nothing();
}

TEST(ExpireLocks, of_many_those_that_are_over) {
  const TaskState over = locked().world.task;
  const TaskState live = locked(TaskStatus::in_progress, kLockEnd + 1).world.task;
  const TaskState free = given_task(TaskStatus::in_progress).world.task;
  Outcome(expire_locks({live, over, free, over}, kLockEnd)).then({kExpired, kExpired});
  Outcome(expire_locks({}, kLockEnd)).then_nothing();
}

TEST(ExpireLocks, the_lock_goes_and_the_task_stays_as_it_was) {
  for (const auto status : {TaskStatus::in_progress, TaskStatus::rejected, TaskStatus::review}) {
    auto on = locked(status);
    TaskState expected = on.world.task;
    expected.lock.reset();
    on.world.happened(kExpired, {kSystemUser, kLockEnd + 60'000});
    EXPECT_TRUE(on.world.task == expected) << to_string(status) << ", version and time included";
  }
}

}  // namespace
}  // namespace annolog::testing::expire_locks_test
