// Why tasks/next has none, and until when: exact, however many locks there are beside.
#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::why_none_test {
namespace {

constexpr int kTasks = 1'100;
constexpr std::int64_t kLater = 5'000;

struct Scene : BatchScene {
  Scene() : BatchScene(kTasks) {
    const Rows all = rows();
    for (const auto& [id, task] : all.tasks) ids.push_back(id);
  }
  void lock(TaskId task, Who who) { service.must<commands::LockGranted>(LockTask{task}, who); }
  // T-<from + 1> to T-<to>.
  void lock(std::size_t from, std::size_t to, Who who) {
    for (std::size_t i = from; i < to; ++i) lock(ids[i], who);
  }
  static std::int64_t seconds_left(std::int64_t passed_ms) {
    return (kDefaultLockMs - passed_ms) / 1000;
  }

  std::vector<TaskId> ids;  // in the order of their numbers
};

TEST(WhyNone, the_earliest_end_of_all_locks_of_the_project) {
  Scene scene;
  scene.lock(scene.ids.back(), scene.c);
  scene.service.clock.advance(kLater);
  scene.lock(0, scene.ids.size() - 1, scene.c);
  const auto none = scene.none(scene.b);
  EXPECT_EQ(none.reason, "all_locked");
  EXPECT_EQ(none.retry_after_s, Scene::seconds_left(kLater));
}

TEST(WhyNone, one_free_task_of_many_is_found) {
  Scene scene;
  scene.unlock(scene.next(scene.b).id, scene.b);  // T-1 is b's, and free
  scene.lock(1, scene.ids.size(), scene.c);
  EXPECT_EQ(scene.none(scene.a).reason, "none_assigned");
  scene.lock(scene.ids.front(), scene.b);
  EXPECT_EQ(scene.none(scene.a).reason, "all_locked");
}

TEST(WhyNone, locks_that_are_over_do_not_count) {
  Scene scene;
  scene.lock(0, scene.ids.size() - 1, scene.c);
  scene.service.clock.advance(kDefaultLockMs);
  scene.lock(scene.ids.back(), scene.c);
  EXPECT_EQ(scene.none(scene.b).reason, "none_assigned");
}

TEST(WhyNone, locks_elsewhere_do_not_hide_those_of_the_batch) {
  Scene scene;
  const auto batch = scene.active(std::nullopt, 2);
  const auto ref = BatchScene::ref(batch);
  scene.next(scene.c, ref);
  scene.service.clock.advance(kLater);
  scene.lock(scene.ids[1], scene.c);
  scene.lock(2, scene.ids.size(), scene.a);  // before those of c in the index
  const auto none = scene.none(scene.b, ref);
  EXPECT_EQ(none.reason, "all_locked");
  EXPECT_EQ(none.retry_after_s, Scene::seconds_left(kLater));
  scene.unlock(scene.ids[1], scene.c);
  EXPECT_EQ(scene.none(scene.b, ref).reason, "none_assigned");
}

TEST(WhyNone, work_of_a_batch_that_was_rejected_or_skipped_counts) {
  Scene scene;
  const auto batch = scene.active(std::nullopt, 2);
  const auto ref = BatchScene::ref(batch);
  const TaskId first = scene.next(scene.c, ref).id;
  scene.submit(first, scene.c);
  scene.reject(first);
  scene.lock(first, scene.c);
  scene.service.clock.advance(kLater);
  scene.skip(scene.next(scene.a, ref).id, scene.a);
  scene.lock(scene.ids[1], scene.a);
  const auto none = scene.none(scene.b, ref);
  EXPECT_EQ(none.reason, "all_locked");
  EXPECT_EQ(none.retry_after_s, Scene::seconds_left(kLater));
}

}  // namespace
}  // namespace annolog::testing::why_none_test
