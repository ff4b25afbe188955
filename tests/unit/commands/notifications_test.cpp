// Marks of notifications as read: what is recorded, and what a retry is told.
#include <gtest/gtest.h>

#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::notifications_test {
namespace {

using commands::NotificationsRead;

struct Scene {
  Service service;
  Who ada = service.add_user(Role::annotator);
  Who bob = service.add_user(Role::super_admin);

  ReadNotifications one() const { return {ada.id, {NotificationId{4097}}}; }
  ReadAllNotifications all() const { return {ada.id, {NotificationId{4097}}, 3}; }
  std::size_t records() {
    return service.count_records("notification.read") +
           service.count_records("notification.all_read");
  }
};

TEST(NotificationMarks, are_recorded_in_the_directory_with_how_many_and_when) {
  Scene scene;
  const auto outcome = scene.service.call(scene.one(), scene.ada);
  ASSERT_TRUE(outcome.position);
  EXPECT_EQ(outcome.position->shard, commands::kDirectory);
  const auto one = Service::take<NotificationsRead>(outcome);
  EXPECT_EQ(one.marked, 1);
  EXPECT_EQ(one.read_at, scene.service.clock.now());
  EXPECT_EQ(scene.service.must<NotificationsRead>(scene.all(), scene.ada).marked, 3);
  EXPECT_EQ(scene.service.count_records("notification.read"), 1U);
  EXPECT_EQ(scene.service.count_records("notification.all_read"), 1U);
  scene.service.expect_refold_gives_the_same();
}

TEST(NotificationMarks, of_nothing_record_nothing_and_have_a_position) {
  Scene scene;
  const auto outcome = scene.service.call(ReadAllNotifications{scene.ada.id, {}, 0}, scene.ada);
  EXPECT_EQ(Service::take<NotificationsRead>(outcome).marked, 0);
  EXPECT_TRUE(outcome.position);
  scene.service.must<NotificationsRead>(ReadNotifications{scene.ada.id, {}}, scene.ada);
  EXPECT_EQ(scene.records(), 0U);
}

TEST(NotificationMarks, of_another_are_not_found) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.service.call(scene.one(), scene.bob)), "NOT_FOUND");
  EXPECT_EQ(Service::code(scene.service.call(scene.all(), scene.bob)), "NOT_FOUND");
  EXPECT_EQ(scene.records(), 0U);
}

// By then nothing is unread any more: the first outcome is told again.
TEST(NotificationMarks, a_retry_is_told_the_first_outcome) {
  Scene scene;
  const auto first =
      Service::take<NotificationsRead>(scene.service.call(scene.all(), scene.ada, "key", "body"));
  const auto again =
      scene.service.call(ReadAllNotifications{scene.ada.id, {}, 0}, scene.ada, "key", "body");
  EXPECT_TRUE(again.replayed);
  const auto told = Service::take<NotificationsRead>(again);
  EXPECT_EQ(told.marked, first.marked);
  EXPECT_EQ(told.read_at, first.read_at);
  EXPECT_EQ(scene.records(), 1U);
}

}  // namespace
}  // namespace annolog::testing::notifications_test
