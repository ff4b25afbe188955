// Imports in the shard: what is there already is read from its state, whoever imports at once.
#include <thread>

#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::import_test {
namespace {

struct ImportScene {
  ImportScene() {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    const auto dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, 1);
    service.link(dataset, project, owner);
    const auto view = service.must<TaskView>(TakeNextTask{project, {}}, annotator);
    service.must<std::monostate>(UnlockTask{view.id}, annotator);
    task = view.id;
  }
  ImportAnnotations wish(std::size_t shapes, bool dry_run = false) const {
    const ImportedShape shape{"car", Bbox{0.1, 0.1, 0.2, 0.2}, {}, {}, {}, false};
    return {project, task, "import:coco", std::vector<ImportedShape>(shapes, shape), dry_run};
  }
  ImportOutcome import(std::size_t shapes, bool dry_run = false) {
    return service.must<ImportOutcome>(wish(shapes, dry_run), owner);
  }

  Service service;
  Who owner, annotator;
  ProjectId project;
  TaskId task;
};

TEST(ImportedAnnotations, are_counted_off_against_what_is_there) {
  ImportScene scene;
  EXPECT_EQ(scene.import(2, true), (ImportOutcome{2, 0, {}}));
  EXPECT_EQ(scene.import(2), (ImportOutcome{2, 0, {}}));
  EXPECT_EQ(scene.import(2), (ImportOutcome{0, 2, {}}));
  EXPECT_EQ(scene.import(3), (ImportOutcome{1, 2, {}}));
}

TEST(ImportedAnnotations, do_not_double_when_two_import_at_once) {
  ImportScene scene;
  std::vector<ImportOutcome> outcomes(4);
  {
    std::vector<std::jthread> callers;
    for (auto& outcome : outcomes) {
      callers.emplace_back([&scene, &outcome] { outcome = scene.import(5); });
    }
  }
  std::int64_t imported = 0;
  for (const auto& outcome : outcomes) imported += outcome.imported;
  EXPECT_EQ(imported, 5);
}

TEST(ImportedAnnotations, are_for_admins_of_the_project) {
  ImportScene scene;
  EXPECT_EQ(Service::code(scene.service.call(scene.wish(1), scene.annotator)), "FORBIDDEN");
}

}  // namespace
}  // namespace annolog::testing::import_test
