// Retries with a key: the first outcome again, for 24 hours, whatever happened to the process.
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::idempotency_test {
namespace {

using commands::AnnotationsAdded;
using commands::LockGranted;

constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;

struct Scene {
  Scene() {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, 5);
    service.link(dataset, project, owner);
    task = service.must<TaskView>(TakeNextTask{project, {}}, annotator).id;
  }
  Outcome add(const std::string& key, const std::string& request, int shapes = 1) {
    AddAnnotations wish{task, {}, false};
    for (int i = 0; i < shapes; ++i) {
      Shape shape;
      shape.class_name = "car";
      shape.geometry = Bbox{0, 0, 1, 1};
      wish.shapes.push_back(shape);
    }
    return service.call(wish, annotator, key, request);
  }
  std::int64_t annotation_count() {
    return service.must<TaskView>(TakeNextTask{project, {}}, annotator).annotation_count;
  }

  Service service;
  Who owner, annotator;
  ProjectId project;
  DatasetId dataset;
  TaskId task;
};

TEST(Idempotency, a_retry_gives_the_first_outcome) {
  Scene scene;
  const auto first = scene.add("k", "body");
  const auto again = scene.add("k", "body");
  EXPECT_FALSE(first.replayed);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.position, first.position);
  EXPECT_EQ(std::get<AnnotationsAdded>(again.reply.value()).annotations,
            std::get<AnnotationsAdded>(first.reply.value()).annotations);
  EXPECT_EQ(scene.annotation_count(), 1);
}

TEST(Idempotency, outlives_refold_and_restart) {
  Scene scene;
  const auto first = scene.add("k", "body", 2);
  scene.service.restart();
  EXPECT_TRUE(scene.add("k", "body", 2).replayed);
  scene.service.expect_refold_gives_the_same();
  const auto again = scene.add("k", "body", 2);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.position, first.position);
  EXPECT_EQ(std::get<AnnotationsAdded>(again.reply.value()).annotations,
            std::get<AnnotationsAdded>(first.reply.value()).annotations);
  EXPECT_EQ(scene.annotation_count(), 2);
}

TEST(Idempotency, the_same_key_with_another_body_is_refused) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.add("k", "body")), "ok");
  const auto reused = scene.add("k", "other");
  EXPECT_EQ(Service::code(reused), "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(reused.reply.error().kind, DomainError::Kind::invalid);
  EXPECT_EQ(scene.annotation_count(), 1);
}

TEST(Idempotency, keys_belong_to_their_caller) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.add("k", "body")), "ok");
  const auto other =
      scene.service.call(AddAnnotations{scene.task, {}, true}, scene.owner, "k", "another body");
  EXPECT_NE(Service::code(other), "IDEMPOTENCY_KEY_REUSED");
}

TEST(Idempotency, a_refused_call_leaves_its_key_free) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.service.call(ReopenTask{scene.task}, scene.annotator, "k", "x")),
            "INVALID_TRANSITION");
  EXPECT_FALSE(scene.add("k", "body").replayed);
}

TEST(Idempotency, a_key_is_forgotten_after_24_hours) {
  Scene scene;
  EXPECT_EQ(Service::code(scene.add("k", "body")), "ok");
  scene.service.clock.advance(kDayMs);
  EXPECT_TRUE(scene.add("k", "body").replayed);
  EXPECT_EQ(Service::code(scene.add("k", "other")), "IDEMPOTENCY_KEY_REUSED");
  scene.service.clock.advance(1);
  scene.service.must<LockGranted>(LockTask{scene.task}, scene.annotator);
  const auto later = scene.add("k", "other");
  EXPECT_EQ(Service::code(later), "ok");
  EXPECT_FALSE(later.replayed);
  EXPECT_TRUE(scene.add("k", "other").replayed);
  scene.service.expect_refold_gives_the_same();
  EXPECT_TRUE(scene.add("k", "other").replayed);
}

TEST(Idempotency, old_rows_leave_the_state) {
  Scene scene;
  const auto rows = [&] {
    std::size_t count = 0;
    for (const auto& shard : scene.service.dump()) {
      for (const auto& [key, value] : shard) count += key.front() == 'K' || key.front() == 'X';
    }
    return count;
  };
  for (int i = 0; i < 10; ++i) scene.add("k" + std::to_string(i), "body");
  EXPECT_EQ(rows(), 20U);
  scene.service.clock.advance(kDayMs + 1);
  scene.service.must<LockGranted>(LockTask{scene.task}, scene.annotator);
  for (int i = 0; i < 5; ++i) scene.add("n" + std::to_string(i), "body");
  EXPECT_EQ(rows(), 10U);
  scene.service.expect_refold_gives_the_same();
}

TEST(Idempotency, a_lock_is_answered_as_it_was_given) {
  Scene scene;
  const auto call = [&] {
    return scene.service.call(LockTask{scene.task}, scene.annotator, "k", "lock");
  };
  const auto first = Service::take<LockGranted>(call());
  scene.service.clock.advance(1000);
  EXPECT_EQ(Service::code(scene.service.call(UnlockTask{scene.task}, scene.annotator)), "ok");
  const auto again = Service::take<LockGranted>(call());
  EXPECT_EQ(again.user_id, first.user_id);
  EXPECT_EQ(again.locked_at, first.locked_at);
  EXPECT_EQ(again.expires_at, first.expires_at);
}

TEST(Idempotency, a_user_is_told_from_the_state_as_it_is_now) {
  Service service;
  CreateUser wish;
  wish.role = Role::reviewer;
  wish.username = {"key", "sealed"};
  wish.username_digest = "digest";
  const auto told = [](const Outcome& outcome) {
    return std::get<commands::UserReply>(outcome.reply.value()).user;
  };
  const UserState made = told(service.call(wish, kSystem, "k", "body"));
  EXPECT_EQ(made.username, wish.username);
  EXPECT_EQ(made.created_at, service.clock.now());
  service.clock.advance(1000);
  service.must<commands::SessionReply>(SignIn{made.id, 0, {"digest", 1000}}, kSystem);
  service.expect_refold_gives_the_same();
  UserState now = told(service.call(wish, kSystem, "k", "body"));
  EXPECT_EQ(now.last_login_at, service.clock.now());
  now.last_login_at.reset();
  EXPECT_EQ(now, made);
}

TEST(Idempotency, a_member_that_was_removed_since_is_not_shown) {
  Scene scene;
  const Who reviewer = scene.service.add_user(Role::reviewer);
  const auto add = [&] {
    return scene.service.call(AddMember{scene.project, reviewer.id, Role::reviewer, reviewer.role},
                              scene.owner, "k", "body");
  };
  EXPECT_EQ(Service::take<MemberView>(add()).role, Role::reviewer);
  EXPECT_TRUE(add().replayed);
  scene.service.must<std::monostate>(RemoveMember{scene.project, reviewer.id}, scene.owner);
  EXPECT_EQ(Service::code(add()), "NOT_FOUND");
}

TEST(Idempotency, creating_with_a_key_gives_one_project) {
  Scene scene;
  const auto wish = Service::project_wish("Rivers", scene.owner);
  const auto first = Service::take<ProjectView>(scene.service.create(wish, scene.owner, "k", "b"));
  const auto again = Service::take<ProjectView>(scene.service.create(wish, scene.owner, "k", "b"));
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(Service::code(scene.service.create(wish, scene.owner, "k", "other")),
            "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(Service::code(scene.service.create(wish, scene.owner)), "NAME_TAKEN");
  EXPECT_EQ(scene.service.count_records("project.created"), 2U);
}

}  // namespace
}  // namespace annolog::testing::idempotency_test
