// Since when a lock is held: from its taking on, however often it is renewed.
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::lock_since_test {
namespace {

using commands::LockGranted;

struct Scene {
  Scene() {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    reviewer = service.add_user(Role::reviewer);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    service.add_member(project, owner, reviewer);
    const DatasetId dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, 1);
    service.link(dataset, project, owner);
    task = next().id;
    taken = service.clock.now();
  }
  TaskView next() { return service.must<TaskView>(TakeNextTask{project, {}}, annotator); }
  LockGranted lock(Who who) { return service.must<LockGranted>(LockTask{task}, who); }
  void release() { service.must<std::monostate>(UnlockTask{task}, annotator); }
  Timestamp later(std::int64_t ms) {
    service.clock.advance(ms);
    return service.clock.now();
  }

  Service service;
  Who owner, annotator, reviewer;
  ProjectId project;
  TaskId task;
  Timestamp taken;
};

TEST(LockSince, renewals_leave_it_as_it_is) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const auto now = scene.later(60'000);
    const auto renewed = scene.lock(scene.annotator);
    EXPECT_EQ(renewed.locked_at, scene.taken);
    EXPECT_EQ(renewed.expires_at, now + kDefaultLockMs);
  }
  scene.later(60'000);
  scene.next();  // renews too
  scene.later(kDefaultLockMs - 1);
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, scene.taken);
  scene.service.expect_refold_gives_the_same();
}

TEST(LockSince, a_lock_taken_again_counts_from_then) {
  Scene scene;
  const auto expired = scene.later(kDefaultLockMs);
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, expired) << "at the instant of expiry";
  scene.later(1000);
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, expired);
  scene.release();
  const auto released = scene.later(1000);
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, released);
  const auto passed_on = scene.later(kDefaultLockMs);
  EXPECT_EQ(scene.lock(scene.reviewer).locked_at, passed_on);
  const auto back = scene.later(kDefaultLockMs);
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, back);
  scene.service.expect_refold_gives_the_same();
}

TEST(LockSince, it_outlives_the_process) {
  Scene scene;
  scene.later(1000);
  scene.service.restart();
  EXPECT_EQ(scene.lock(scene.annotator).locked_at, scene.taken);
}

}  // namespace
}  // namespace annolog::testing::lock_since_test
