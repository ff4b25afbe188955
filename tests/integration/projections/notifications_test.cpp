// Notifications as rows: who has which, what is unread, marks that come before their rows, mutes,
// age, and a rebuild.
#include "projections/notifications/queries.hpp"

#include <map>

#include <gtest/gtest.h>

#include "projections/engine/event_id.hpp"
#include "projections/notifications/tidier.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::notifications_test {
namespace {

constexpr UserId kAnnotator{4};
constexpr UserId kReviewer{3};
constexpr ProjectId kOtherProject{2};
constexpr std::uint16_t kOtherShard = 2;
constexpr By kByReviewer{3, kStartMs + 10};

TaskRejected rejected(std::int64_t task, ProjectId project = kProject) {
  return {project, TaskId{task}, kReviewer, kAnnotator, RejectReason::wrong_label,
          "a dog", kAnnotator};
}

TaskApproved approved(std::int64_t task, ProjectId project = kProject) {
  return {project, TaskId{task}, kReviewer, kAnnotator};
}

CommentAdded said(std::int64_t id, std::vector<UserId> mentions) {
  return {kProject, TaskId{100}, CommentId{id}, {}, UserId{7}, "Look!", std::move(mentions)};
}

NotificationId id_at(std::uint16_t shard, std::uint64_t offset) {
  return NotificationId{event_id({eventstore::ShardId{shard}, eventstore::Offset{offset}})};
}

class Notifications : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    world = std::make_unique<World>(GetParam());
    world->append(
        0, {user_created(3, Role::reviewer, "Rea"), user_created(4, Role::annotator, "Ann")});
    world->append(kProjectShard, {project_created(), tasks_created(100, 3)});
  }

  void show() {
    if (!world->projector) world->start();
    world->settle();
  }
  NotificationQueries queries(Timestamp since = {}) const { return {*world->pool, since}; }
  std::vector<NotificationView> all(UserId user, const NotificationFilter& filter = {}) const {
    return queries().of(user, filter, std::nullopt, 200).items;
  }
  std::vector<std::string> types(UserId user, const NotificationFilter& filter = {}) const {
    std::vector<std::string> names;
    for (const auto& view : all(user, filter)) names.push_back(view.type);
    return names;
  }
  // What a person sees of it all, for comparing.
  std::string seen(UserId user) const {
    std::string text = std::to_string(queries().unread_count(user)) + ":";
    for (const auto& view : all(user)) {
      text += " " + std::to_string(view.id.value);
      if (view.read_at) text += "@" + std::to_string(view.read_at->ms - kStartMs);
    }
    return text;
  }
  void expect_the_same_after_a_rebuild() {
    world->stop();
    const std::string live = world->dump();
    world->rebuild();
    EXPECT_EQ(world->dump(), live);
  }

  std::unique_ptr<World> world;
};

TEST_P(Notifications, AreShownNewestFirstWithAllTheySay) {
  world->append(kProjectShard, batch_of(100, 3));
  world->append(kProjectShard, {handed_to(kAnnotator)}, {7, kStartMs + 1});
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  world->append(kProjectShard, {said(9, {kAnnotator, kReviewer, UserId{7}})}, {7, kStartMs + 20});
  show();
  const auto views = all(kAnnotator);
  ASSERT_EQ(views.size(), 3U);
  const auto place = world->log->end(eventstore::ShardId{kProjectShard}).value;
  NotificationView mention;
  mention.id = id_at(kProjectShard, place);
  mention.type = "comment.mention";
  mention.target_type = "comment";
  mention.target_id = 9;
  mention.payload.project_id = kProject;
  mention.payload.task_id = TaskId{100};
  mention.payload.display_id = "T-1";
  mention.payload.actor = NotificationActor{UserId{7}, ""};
  mention.created_at = {kStartMs + 20};
  EXPECT_EQ(views[0], mention);
  NotificationView rejection;
  rejection.id = id_at(kProjectShard, place - 1);
  rejection.type = "task.rejected";
  rejection.target_type = "task";
  rejection.target_id = 100;
  rejection.payload.project_id = kProject;
  rejection.payload.task_id = TaskId{100};
  rejection.payload.display_id = "T-1";
  rejection.payload.actor = NotificationActor{kReviewer, ""};
  rejection.payload.reason_type = RejectReason::wrong_label;
  rejection.payload.reason = "a dog";
  rejection.created_at = {kByReviewer.at_ms};
  EXPECT_EQ(views[1], rejection);
  EXPECT_EQ(views[2].type, "task.assigned");
  EXPECT_EQ(views[2].payload.batch_id, kBatch);
  EXPECT_EQ(views[2].payload.display_id, "B-600");
  EXPECT_EQ(types(kReviewer), std::vector<std::string>{"comment.mention"});
  EXPECT_TRUE(all(UserId{7}).empty()) << "they did it";
  EXPECT_EQ(queries().find(kAnnotator, mention.id), mention);
  EXPECT_EQ(queries().find(UserId{8}, mention.id), std::nullopt);
  expect_the_same_after_a_rebuild();
}

TEST_P(Notifications, ArePagedAndFiltered) {
  for (std::int64_t i = 0; i < 7; ++i) {
    const std::int64_t at = kStartMs + i / 2;  // some of one moment
    world->append(kProjectShard, {i % 2 == 0 ? Event{rejected(100)} : Event{approved(101)}},
                  {3, at});
  }
  show();
  const auto whole = all(kAnnotator);
  ASSERT_EQ(whole.size(), 7U);
  world->append(0, {NotificationRead{kAnnotator, {whole[1].id, whole[2].id}}}, {4, kStartMs + 50});
  show();
  for (const std::int64_t limit : {1, 2, 7}) {
    std::vector<NotificationId> walked;
    std::optional<TimeCursor> after;
    do {
      const auto page = queries().of(kAnnotator, {}, after, limit);
      for (const auto& view : page.items) walked.push_back(view.id);
      after = page.next;
    } while (after);
    std::vector<NotificationId> expected;
    for (const auto& view : whole) expected.push_back(view.id);
    EXPECT_EQ(walked, expected) << limit;
  }
  EXPECT_EQ(all(kAnnotator, {true, {}}).size(), 5U);
  EXPECT_EQ(all(kAnnotator, {false, {}}).size(), 2U);
  EXPECT_EQ(all(kAnnotator, {std::nullopt, {NotificationType::task_rejected}}).size(), 4U);
  EXPECT_EQ(all(kAnnotator, {std::nullopt, {NotificationType::batch_rejected}}).size(), 0U);
  EXPECT_EQ(all(kAnnotator, {true, {NotificationType::task_approved}}).size() +
                all(kAnnotator, {true, {NotificationType::task_rejected}}).size(),
            5U);
  EXPECT_EQ(queries().unread_count(kAnnotator), 5);
}

TEST_P(Notifications, AMarkOfAllCoversWhatWasThereAndNotWhatComes) {
  world->append(kOtherShard,
                {project_created(kOtherProject), tasks_created(500, 2, kOtherProject)});
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  world->append(kOtherShard, {approved(500, kOtherProject)}, kByReviewer);
  show();
  const auto there = queries().unread(kAnnotator);
  EXPECT_EQ(there.shown, 2);
  EXPECT_EQ(there.up_to.size(), 2U);
  world->append(kProjectShard, {rejected(101)}, kByReviewer);  // arrives meanwhile
  world->append(0, {NotificationsAllRead{kAnnotator, there.up_to}}, {4, kStartMs + 50});
  world->append(kOtherShard, {approved(501, kOtherProject)}, kByReviewer);
  show();
  EXPECT_EQ(queries().unread_count(kAnnotator), 2);
  const auto read = all(kAnnotator, {false, {}});
  ASSERT_EQ(read.size(), 2U);
  for (const auto& view : read) EXPECT_EQ(view.read_at, Timestamp{kStartMs + 50});
  expect_the_same_after_a_rebuild();
}

TEST_P(Notifications, TheFirstMarkInTheLogCounts) {
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  world->append(kProjectShard, {rejected(101)}, kByReviewer);
  const auto last = world->log->end(eventstore::ShardId{kProjectShard}).value;
  const NotificationId one = id_at(kProjectShard, last - 1), two = id_at(kProjectShard, last);
  show();
  world->append(0, {NotificationRead{kAnnotator, {one}}}, {4, kStartMs + 50});
  world->append(0, {NotificationsAllRead{kAnnotator, {two}}}, {4, kStartMs + 60});
  world->append(0, {NotificationRead{kAnnotator, {two, one}}}, {4, kStartMs + 70});
  world->append(0, {NotificationsAllRead{kAnnotator, {one}}}, {4, kStartMs + 80});
  show();
  EXPECT_EQ(queries().find(kAnnotator, one)->read_at, Timestamp{kStartMs + 50});
  EXPECT_EQ(queries().find(kAnnotator, two)->read_at, Timestamp{kStartMs + 60});
  EXPECT_EQ(queries().unread_count(kAnnotator), 0);
  expect_the_same_after_a_rebuild();
}

// Other shards' events come later than the directory's: as a rebuild may have it.
TEST_P(Notifications, AMarkWaitsForItsRow) {
  const auto next = world->log->end(eventstore::ShardId{kProjectShard}).value + 1;
  const NotificationId one = id_at(kProjectShard, next), two = id_at(kProjectShard, next + 1),
                       three = id_at(kProjectShard, next + 2);
  world->append(0, {NotificationRead{kAnnotator, {two}}}, {4, kStartMs + 50});
  world->append(0, {NotificationsAllRead{kAnnotator, {one}}}, {4, kStartMs + 55});
  world->append(0, {NotificationsAllRead{kAnnotator, {two}}}, {4, kStartMs + 60});
  show();
  EXPECT_EQ(seen(kAnnotator), "0:");
  for (const std::int64_t task : {100, 101, 102})
    world->append(kProjectShard, {rejected(task)}, {3, kStartMs + task});
  show();
  EXPECT_EQ(seen(kAnnotator), "1: " + std::to_string(three.value) + " " +
                                  std::to_string(two.value) + "@50 " + std::to_string(one.value) +
                                  "@55");
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM early_notification_reads"), "0");
  expect_the_same_after_a_rebuild();
}

UserPreferencesChanged prefers(const std::string& notifications) {
  return {kAnnotator, {{"notifications", {notifications}}}};
}

TEST_P(Notifications, AMutedTypeIsNotThereWhileItIsMuted) {
  world->append(kProjectShard, {rejected(100), approved(101)}, kByReviewer);
  world->append(0, {prefers(R"({"task.approved":false})")}, {4, kStartMs});
  show();
  const auto shard = eventstore::ShardId{kProjectShard};
  const auto made = [&] { return queries().made_by(shard, {}, world->log->end(shard)); };
  EXPECT_EQ(types(kAnnotator), std::vector<std::string>{"task.rejected"});
  EXPECT_TRUE(types(kAnnotator, {std::nullopt, {NotificationType::task_approved}}).empty());
  EXPECT_EQ(queries().unread_count(kAnnotator), 1);
  EXPECT_EQ(queries().unread(kAnnotator).shown, 1);
  EXPECT_EQ(made().size(), 1U);
  EXPECT_EQ(queries().of_user_since(kAnnotator, Positions(kShards), {}).size(), 1U);
  expect_the_same_after_a_rebuild();

  world->append(0, {prefers(R"({"task.approved":true})")}, {4, kStartMs});
  show();
  EXPECT_EQ(types(kAnnotator).size(), 2U);
  EXPECT_EQ(queries().unread_count(kAnnotator), 2);
  EXPECT_EQ(made().size(), 2U);
}

TEST_P(Notifications, OfARangeOfEventsComeInTheirOrder) {
  const auto shard = eventstore::ShardId{kProjectShard};
  std::vector<UserId> many;
  for (std::int64_t id = 100; id < 150; ++id) many.emplace_back(id);
  const auto before = world->log->end(shard);
  for (std::int64_t i = 0; i < 25; ++i) world->append(kProjectShard, {said(i + 1, many)});
  const auto after = world->log->end(shard);
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  show();
  const auto made = queries().made_by(shard, before, after);
  ASSERT_EQ(made.size(), 25U * 50U);
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].user_id, many[i % 50]);
    EXPECT_EQ(made[i].view.target_id, static_cast<std::int64_t>(i / 50 + 1));
  }
  EXPECT_EQ(event_position(made.front().view.id.value).offset, before.next());
  EXPECT_TRUE(queries().made_by(shard, after.next(), world->log->end(shard)).empty());
  const eventstore::ShardId directory{0};
  EXPECT_TRUE(queries().made_by(directory, {}, world->log->end(directory)).empty());
}

// After a crash PostgreSQL may show less than it did.
TEST_P(Notifications, AreNotPassedOverWhileTheRowsAreBehind) {
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  show();
  const auto shard = eventstore::ShardId{kProjectShard};
  const auto end = world->log->end(shard);
  EXPECT_EQ(queries().made_by(shard, {}, end).size(), 1U);
  EXPECT_THROW(queries().made_by(shard, {}, end.next()), ReadUnavailable);
  EXPECT_EQ(queries().of_user_since(kAnnotator, Positions(kShards), {{shard, end}}).size(), 1U);
  EXPECT_THROW(queries().of_user_since(kAnnotator, Positions(kShards), {{shard, end.next()}}),
               ReadUnavailable);
}

TEST_P(Notifications, OfAUserSinceSomePlacesAreThoseBehindThem) {
  world->append(kOtherShard,
                {project_created(kOtherProject), tasks_created(500, 2, kOtherProject)});
  world->append(kProjectShard, {rejected(100)}, {3, kStartMs + 1});
  Positions places(kShards);
  for (std::uint16_t i = 0; i < kShards; ++i) places[i] = world->log->end(eventstore::ShardId{i});
  world->append(kOtherShard, {approved(500, kOtherProject)}, {3, kStartMs + 3});
  world->append(kProjectShard, {rejected(101)}, {3, kStartMs + 2});
  show();
  std::vector<std::int64_t> targets;
  for (const auto& made : queries().of_user_since(kAnnotator, places, {})) {
    EXPECT_EQ(made.user_id, kAnnotator);
    targets.push_back(made.view.target_id);
  }
  EXPECT_EQ(targets, (std::vector<std::int64_t>{101, 500}));
  EXPECT_EQ(queries().of_user_since(kAnnotator, Positions(kShards), {}).size(), 3U);
  EXPECT_TRUE(queries().of_user_since(kReviewer, Positions(kShards), {}).empty());
}

TEST_P(Notifications, OfWhatIsGoneHaveNoDisplayId) {
  world->append(kProjectShard, {rejected(100)}, kByReviewer);
  world->append(kProjectShard, {TasksRemoved{kProject, kDataset, {TaskId{100}}}});
  show();
  const auto views = all(kAnnotator);
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].payload.display_id, std::nullopt);
  EXPECT_EQ(views[0].payload.task_id, TaskId{100});
  expect_the_same_after_a_rebuild();
}

TEST_P(Notifications, PastTheirTimeAreNotThereAndThenTidiedAway) {
  platform::ManualClock now({kStartMs + 1'000});
  world->append(kProjectShard, {rejected(100), approved(101)}, {3, kStartMs + 100});
  world->append(kProjectShard, {rejected(101)}, {3, kStartMs + 900});
  world->append(0, {NotificationRead{kAnnotator, {NotificationId{kShardsAtMost}}}},
                {4, kStartMs + 100});
  show();
  const auto fresh = queries({kStartMs + 500});
  const auto expect_one = [&] {
    EXPECT_EQ(fresh.of(kAnnotator, {}, std::nullopt, 50).items.size(), 1U);
    EXPECT_EQ(fresh.unread_count(kAnnotator), 1);
    EXPECT_EQ(fresh.unread(kAnnotator).shown, 1);
    EXPECT_EQ(fresh.of_user_since(kAnnotator, Positions(kShards), {}).size(), 1U);
  };
  expect_one();
  ReadPool writing({.database_url = world->database.url(), .connections = 1, .read_only = false});
  NotificationTidier tidier(writing, now, world->logger, 500);
  EXPECT_FALSE(tidier.tidy()) << "all in one step";
  expect_one();
  EXPECT_EQ(queries().unread_count(kAnnotator), 1);
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM notifications"), "1");
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM early_notification_reads"), "0");

  world->stop();
  world->rebuild();
  expect_one();
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM notifications"), "3");
}

// A step takes a thousand.
TEST_P(Notifications, ManyAreTidiedInSteps) {
  world->append(0, {UserSignedIn{kAnnotator}});
  show();
  connect_to(world->database.url(), "read_live")
      ->run(
          "INSERT INTO notifications SELECT 4 + i % 3, 1, i * 4096 + 1, 'task.approved', 1, 1, 1, "
          "NULL, 3, NULL, NULL, i, true, NULL FROM generate_series(1, 2500) i; "
          "INSERT INTO notification_counts SELECT user_id, type, count(*) FROM notifications "
          "GROUP BY user_id, type");
  platform::ManualClock now({kStartMs});
  ReadPool writing({.database_url = world->database.url(), .connections = 1, .read_only = false});
  NotificationTidier tidier(writing, now, world->logger, 1);
  int steps = 1;
  while (tidier.tidy()) ++steps;
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM notifications"), "0");
  EXPECT_EQ(ask(world->database.url(), "SELECT sum(unread) FROM notification_counts"), "0");
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, Notifications, ::testing::Values(1, 3, 5000));

}  // namespace
}  // namespace annolog::projections::testing::notifications_test
