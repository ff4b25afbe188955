#include "api/rendered_tasks.hpp"

#include <array>

#include <gtest/gtest.h>

namespace annolog::api {
namespace {

using projections::TaskKey;

constexpr Timestamp kNow{1'750'000'000'000};
constexpr std::uint64_t kNames = 3;

TaskView task(std::int64_t id, std::int64_t version) {
  TaskView view;
  view.id = TaskId{id};
  view.version = version;
  return view;
}

class RenderedTasksTest : public ::testing::Test {
 protected:
  // The joined texts; nullopt: not all of them are there.
  std::optional<std::string> joined(std::vector<TaskKey> keys, std::uint64_t names = kNames,
                                    Timestamp now = kNow) {
    std::string out = "[";
    if (!tasks_.append_all(keys, names, now, out)) {
      EXPECT_EQ(out, "[") << "nothing may be left behind";
      return std::nullopt;
    }
    return out.substr(1);
  }
  RenderedTasks tasks_{1000};
};

TEST_F(RenderedTasksTest, joins_the_texts_in_the_order_asked_for) {
  tasks_.put(task(1, 5), kNames, "one");
  tasks_.put(task(2, 6), kNames, "two");
  EXPECT_EQ(joined({{TaskId{2}, 6}, {TaskId{1}, 5}}), "two,one");
  EXPECT_EQ(joined({}), "");
}

TEST_F(RenderedTasksTest, has_all_or_gives_none) {
  tasks_.put(task(1, 5), kNames, "one");
  EXPECT_EQ(joined({{TaskId{1}, 5}, {TaskId{2}, 6}}), std::nullopt);
}

TEST_F(RenderedTasksTest, a_text_is_of_one_version_and_of_one_set_of_names) {
  tasks_.put(task(1, 5), kNames, "one");
  EXPECT_EQ(joined({{TaskId{1}, 6}}), std::nullopt);
  EXPECT_EQ(joined({{TaskId{1}, 4}}), std::nullopt);
  EXPECT_EQ(joined({{TaskId{1}, 5}}, kNames + 1), std::nullopt);
  tasks_.put(task(1, 6), kNames + 1, "one changed");
  EXPECT_EQ(joined({{TaskId{1}, 6}}, kNames + 1), "one changed");
  EXPECT_EQ(joined({{TaskId{1}, 5}}), std::nullopt);
}

TEST_F(RenderedTasksTest, a_text_that_shows_a_lock_ends_with_it) {
  auto locked = task(1, 5);
  locked.lock = LockView{UserId{7}, kNow + 1000};
  tasks_.put(locked, kNames, "locked");
  EXPECT_EQ(joined({{TaskId{1}, 5}}, kNames, kNow + 999), "locked");
  EXPECT_EQ(joined({{TaskId{1}, 5}}, kNames, kNow + 1000), std::nullopt);
}

TEST_F(RenderedTasksTest, keeps_what_is_used_and_lets_go_of_the_rest) {
  const std::string text(100, 'x');
  tasks_.put(task(1, 1), kNames, text);
  for (std::int64_t id = 2; id < 100; ++id) {
    tasks_.put(task(id, 1), kNames, text);
    EXPECT_TRUE(joined({{TaskId{1}, 1}})) << id;
  }
  std::int64_t kept = 0;
  for (std::int64_t id = 1; id < 100; ++id) kept += joined({{TaskId{id}, 1}}) ? 1 : 0;
  EXPECT_LE(kept, 10) << "1000 bytes";
}

}  // namespace
}  // namespace annolog::api
