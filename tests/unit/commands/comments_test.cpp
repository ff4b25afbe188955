// Comments and restored annotations through the runtime: ids, retries, what a refold gives.
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::comments_test {
namespace {

using commands::AnnotationsAdded;

struct Scene {
  Scene() {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    const DatasetId dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, 2);
    service.link(dataset, project, owner);
    task = service.must<TaskView>(TakeNextTask{project, {}}, annotator);
  }
  AnnotationView annotation() {
    Shape shape;
    shape.class_name = "car";
    shape.geometry = Bbox{0.1, 0.1, 0.2, 0.2};
    return service.must<AnnotationsAdded>(AddAnnotations{task.id, {shape}, false}, annotator)
        .annotations.at(0);
  }
  CommentView comment(const std::string& body, Who who) {
    return service.must<CommentView>(AddComment{task.id, body, {}, {}}, who);
  }

  Service service;
  Who owner, annotator;
  ProjectId project;
  TaskView task;
};

TEST(Comments, have_ids_of_their_shard_that_rise) {
  Scene scene;
  const auto first = scene.comment("one", scene.annotator);
  const auto second = scene.comment("two", scene.owner);
  EXPECT_LT(first.id, second.id);
  EXPECT_EQ(commands::shard_of(first.id.value, 4), commands::shard_of(scene.project.value, 4));
  EXPECT_EQ(first.task_id, scene.task.id);
  EXPECT_EQ(first.project_id, scene.project);
  EXPECT_EQ(first.author_id, scene.annotator.id);
  EXPECT_EQ(first.body, "one");
  EXPECT_EQ(first.created_at, scene.service.clock.now());
}

TEST(Comments, are_about_an_annotation_and_mention_members) {
  Scene scene;
  const auto annotation = scene.annotation();
  const AddComment wish{scene.task.id, "@owner", annotation.id, {scene.owner.id, UserId{999}}};
  const auto made = scene.service.must<CommentView>(wish, scene.annotator);
  EXPECT_EQ(made.annotation_id, annotation.id);
  EXPECT_EQ(made.mentions, std::vector<UserId>{scene.owner.id});
}

TEST(Comments, leave_the_task_as_it_is) {
  Scene scene;
  scene.comment("one", scene.annotator);
  const auto after = scene.service.must<TaskView>(TakeNextTask{scene.project, {}}, scene.annotator);
  EXPECT_EQ(after.version, scene.task.version + 1);  // its lock was renewed
}

TEST(Comments, a_retry_gives_the_first_one_again_even_when_it_is_deleted) {
  Scene scene;
  const AddComment wish{scene.task.id, "one", {}, {}};
  const auto first =
      Service::take<CommentView>(scene.service.call(wish, scene.annotator, "key", "body"));
  const auto again = scene.service.call(wish, scene.annotator, "key", "body");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::take<CommentView>(again), first);
  EXPECT_EQ(scene.service.count_records("comment.added"), 1U);

  const DeleteComment removal{scene.task.id, first.id};
  EXPECT_EQ(Service::code(scene.service.call(removal, scene.annotator, "gone", "")), "ok");
  EXPECT_EQ(Service::code(scene.service.call(removal, scene.annotator, "gone", "")), "ok");
  EXPECT_EQ(Service::code(scene.service.call(removal, scene.annotator)), "NOT_FOUND");
  EXPECT_EQ(scene.service.count_records("comment.deleted"), 1U);
  EXPECT_EQ(Service::take<CommentView>(scene.service.call(wish, scene.annotator, "key", "body")),
            first);
  EXPECT_NE(scene.comment("two", scene.annotator).id, first.id);
}

TEST(Comments, of_another_task_are_not_found) {
  Scene scene;
  const auto comment = scene.comment("one", scene.annotator);
  scene.service.must<AnnotationsAdded>(AddAnnotations{scene.task.id, {}, true}, scene.annotator);
  const auto other = scene.service.must<TaskView>(TakeNextTask{scene.project, {}}, scene.annotator);
  ASSERT_NE(other.id, scene.task.id);
  EXPECT_EQ(Service::code(scene.service.call(DeleteComment{other.id, comment.id}, scene.owner)),
            "NOT_FOUND");
}

TEST(Comments, are_the_same_after_a_restart_and_a_refold) {
  Scene scene;
  const auto first = scene.comment("one \u00E4", scene.annotator);
  scene.comment("two", scene.owner);
  scene.service.must<std::monostate>(DeleteComment{scene.task.id, first.id}, scene.owner);
  scene.service.restart();
  const auto third = scene.comment("three", scene.owner);
  EXPECT_GT(third.id, first.id);
  scene.service.expect_refold_gives_the_same();
  EXPECT_GT(scene.comment("four", scene.owner).id, third.id);
}

TEST(Restore, counts_the_class_again_so_that_it_can_not_be_removed) {
  Scene scene;
  const auto annotation = scene.annotation();
  const DeleteAnnotation removal{scene.task.id, annotation.id, std::nullopt};
  const RestoreAnnotation restore{scene.task.id, annotation.id, std::nullopt};
  scene.service.must<std::monostate>(removal, scene.annotator);
  const auto back = scene.service.must<AnnotationView>(restore, scene.annotator);
  EXPECT_EQ(back.version, 3);
  EXPECT_EQ(back.deleted_at, std::nullopt);
  EXPECT_EQ(back.geometry, annotation.geometry);

  UpdateProject without_cars;
  without_cars.project_id = scene.project;
  without_cars.classes_config = std::vector<ClassSpec>{{"bus", "", {}}};
  EXPECT_EQ(Service::code(scene.service.call(without_cars, scene.owner)), "CLASS_IN_USE");
  scene.service.must<std::monostate>(removal, scene.annotator);
  EXPECT_EQ(Service::code(scene.service.call(without_cars, scene.owner)), "ok");
  EXPECT_EQ(Service::code(scene.service.call(restore, scene.annotator)), "CLASS_REMOVED");
  scene.service.expect_refold_gives_the_same();
}

}  // namespace
}  // namespace annolog::testing::comments_test
