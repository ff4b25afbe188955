// Projects: creation, partial update, classes and members (decisions, section 3).
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::project_test {
namespace {

CreateProject wish() {
  CreateProject command;
  command.project_id = kProject;
  command.name = "  Streets ";
  command.classes_config = {{"car", "", {}}};
  command.owner_id = kOwner;
  return command;
}

UpdateProject update() {
  UpdateProject command;
  command.project_id = kProject;
  return command;
}

TEST(Project, is_created_with_a_trimmed_name_and_class_ids) {
  const auto outcome = given({}).when(wish());
  ASSERT_TRUE(outcome.result());
  const auto& created = std::get<ProjectCreated>(outcome.result().value().at(0));
  EXPECT_EQ(created.name, "Streets");
  EXPECT_EQ(created.classes.live.at(0).id, ClassId{1});
  EXPECT_EQ(created.owner_id, kOwner);
}

TEST(Project, creation_may_be_repeated) {
  given({Event{created_project()}}).when(wish()).then_nothing();
}

TEST(Project, every_bad_member_of_a_wish_is_named) {
  auto command = wish();
  command.name = " ";
  command.description = std::string(10'001, 'x');
  command.annotation_guide = std::string(200'001, 'x');
  command.rendering_config.text = std::string(64 * 1024 + 1, ' ');
  command.classes_config = {{"", "", {}}};
  command.attribute_schema.attributes.resize(1);
  given({}).when(command).then_invalid(
      {"length", "length", "length", "length", "length", "length"});
  command = wish();
  command.name = std::string(201, 'x');
  given({}).when(command).then_invalid({"length"});
}

TEST(Project, an_update_records_only_what_changed) {
  auto command = update();
  command.name = "Streets";
  command.description = "new";
  command.ai_enabled = false;
  command.review_required = true;
  given(project_with_members())
      .when(command)
      .then({ProjectUpdated{.project_id = kProject,
                            .name = std::nullopt,
                            .description = "new",
                            .attribute_schema = std::nullopt,
                            .ai_enabled = std::nullopt,
                            .review_required = true,
                            .annotation_guide = std::nullopt,
                            .rendering_config = std::nullopt,
                            .status = std::nullopt}});
  given(project_with_members()).when(update()).then_nothing();
}

TEST(Project, who_may_update_and_who_may_change_the_status) {
  auto text = update();
  text.description = "new";
  auto status = update();
  status.status = ProjectStatus::archived;
  auto same_status = update();
  same_status.status = ProjectStatus::in_progress;
  struct Row {
    UserId user;
    const char* text;
    const char* status;
    const char* same_status;
  };
  const Row rows[] = {
      {kOwner, "ok", "ok", "ok"},
      {kRoot, "ok", "ok", "ok"},
      {kAdmin, "ok", "FORBIDDEN", "ok"},
      {kReviewer, "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"},
      {kAnnotator, "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"},
      {kViewer, "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"},
      {kStranger, "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.user.value);
    EXPECT_EQ(given(project_with_members()).when(text, row.user).code(), row.text);
    EXPECT_EQ(given(project_with_members()).when(status, row.user).code(), row.status);
    EXPECT_EQ(given(project_with_members()).when(same_status, row.user).code(), row.same_status);
  }
  given({}).when(text).then_fails("NOT_FOUND");
}

TEST(Project, the_owner_moves_the_status_between_any_two) {
  constexpr ProjectStatus kAll[] = {ProjectStatus::in_progress, ProjectStatus::completed,
                                    ProjectStatus::archived};
  for (const auto from : kAll) {
    for (const auto to : kAll) {
      auto on = given(project_with_members());
      on.world.project.status = from;
      auto command = update();
      command.status = to;
      const auto outcome = on.when(command);
      ASSERT_TRUE(outcome.result());
      EXPECT_EQ(outcome.result().value().size(), from == to ? 0U : 1U);
    }
  }
}

TEST(Project, an_update_of_another_version_is_refused) {
  auto command = update();
  command.expected_version = {{2, 3}};
  given(project_with_members()).when(command).then_fails("VERSION_MISMATCH");
  command.expected_version = {{7, 1}};
  given(project_with_members()).when(command).then_nothing();
}

TEST(Project, a_class_in_use_can_not_be_removed) {
  auto command = update();
  command.classes_config = {{{"bus", "", {}}}};
  auto on = given(project_with_members());
  on.world.class_use = {{ClassId{1}, 3}};
  const auto outcome = on.when(command);
  outcome.then_fails("CLASS_IN_USE");
  const DomainError::Detail expected{{"counts", std::map<std::string, std::int64_t>{{"car", 3}}}};
  EXPECT_EQ(outcome.result().error().detail, expected);
  on.world.class_use = {{ClassId{1}, 0}, {ClassId{2}, 9}};
  EXPECT_EQ(on.when(command).code(), "ok");
}

TEST(Project, the_same_class_list_again_records_nothing) {
  auto command = update();
  command.classes_config = {{{"car", "", {"auto"}}, {"bus", "", {}}}};
  given(project_with_members()).when(command).then_nothing();
}

TEST(Project, a_class_is_renamed_and_annotations_keep_its_id) {
  given(project_with_members())
      .when(RenameClass{kProject, "car", "van"})
      .then({ProjectClassRenamed{kProject, ClassId{1}, "car", "van"}});
  given(project_with_members()).when(RenameClass{kProject, "car", "car"}).then_nothing();
  given(project_with_members())
      .when(RenameClass{kProject, "car", "van"}, kReviewer)
      .then_fails("FORBIDDEN");
}

TEST(Project, a_rename_takes_the_attributes_of_the_class_along) {
  auto created = created_project();
  AttributeSpec spec;
  spec.key = "plate";
  spec.applies_to.classes = {"bus", "car"};
  created.attribute_schema.attributes = {spec};
  ProjectUpdated followed;
  followed.project_id = kProject;
  followed.attribute_schema = created.attribute_schema;
  followed.attribute_schema->attributes.at(0).applies_to.classes = {"bus", "van"};
  given({Event{created}})
      .when(RenameClass{kProject, "car", "van"})
      .then({ProjectClassRenamed{kProject, ClassId{1}, "car", "van"}, followed});
}

TEST(Project, a_rename_takes_no_attributes_of_a_class_that_is_gone) {
  auto created = created_project();
  AttributeSpec of_both;
  of_both.key = "plate";
  of_both.applies_to.classes = {"bus", "car"};
  AttributeSpec of_bus;
  of_bus.key = "line";
  of_bus.applies_to.classes = {"bus"};
  created.attribute_schema.attributes = {of_both, of_bus};
  auto command = update();
  command.classes_config = {{{"car", "", {"auto"}}}};
  auto on = given({Event{created}});
  on.world.happened(on.when(command).result().value().at(0), {kOwner, kNow});
  const auto outcome = on.when(RenameClass{kProject, "car", "bus"});
  ASSERT_EQ(outcome.code(), "ok");
  for (const auto& event : outcome.result().value()) on.world.happened(event, {kOwner, kNow});
  const auto& attributes = on.world.project.attribute_schema.attributes;
  EXPECT_EQ(attributes.at(0).applies_to.classes, std::vector<std::string>{"bus"});
  EXPECT_EQ(attributes.at(1).applies_to.classes, std::vector<std::string>{});
}

TEST(Project, a_name_that_comes_back_in_another_case_takes_its_attributes_along) {
  auto created = created_project();
  AttributeSpec spec;
  spec.key = "plate";
  spec.applies_to.classes = {"bus", "car"};
  created.attribute_schema.attributes = {spec};
  auto command = update();
  command.classes_config = {{{"Car", "", {"auto"}}, {"bus", "", {}}}};
  auto on = given({Event{created}});
  const auto outcome = on.when(command);
  ASSERT_EQ(outcome.code(), "ok");
  for (const auto& event : outcome.result().value()) on.world.happened(event, {kOwner, kNow});
  EXPECT_EQ(on.world.project.classes.live.at(0).name, "Car");
  EXPECT_EQ(on.world.project.classes.live.at(0).id, ClassId{1});
  const std::vector<std::string> followed{"bus", "Car"};
  EXPECT_EQ(on.world.project.attribute_schema.attributes.at(0).applies_to.classes, followed);
}

TEST(Project, a_schema_that_comes_with_a_class_in_another_case_is_for_that_class) {
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"Car", "bus"}, {"car", "bus"}, {"Car", "bus", "car"}}) {
    AttributeSpec spec;
    spec.key = "plate";
    spec.applies_to.classes = names;
    auto command = update();
    command.classes_config = {{{"Car", "", {"auto"}}, {"bus", "", {}}}};
    command.attribute_schema = AttributeSchema{{spec}};
    auto on = given({Event{created_project()}});
    const auto outcome = on.when(command);
    ASSERT_EQ(outcome.code(), "ok");
    for (const auto& event : outcome.result().value()) on.world.happened(event, {kOwner, kNow});
    const std::vector<std::string> both{"Car", "bus"};
    EXPECT_EQ(on.world.project.attribute_schema.attributes.at(0).applies_to.classes, both);
  }
}

TEST(Project, attributes_are_for_classes_that_there_are) {
  AttributeSpec spec;
  spec.key = "plate";
  spec.applies_to.classes = {"bus", "tram"};
  auto command = update();
  command.attribute_schema = AttributeSchema{{spec}};
  const auto outcome = given(project_with_members()).when(command);
  ASSERT_EQ(outcome.code(), "VALIDATION_ERROR");
  EXPECT_EQ(
      outcome.result().error().errors.at(0).loc,
      (Location{"attribute_schema", "attributes", std::int64_t{0}, "applies_to", std::int64_t{1}}));
  command.classes_config = {{{"car", "", {}}, {"bus", "", {}}, {"tram", "", {}}}};
  EXPECT_EQ(given(project_with_members()).when(command).code(), "ok");
  auto created = created_project();
  created.attribute_schema = *command.attribute_schema;
  command.classes_config.reset();
  command.attribute_schema->attributes[0].required = true;
  EXPECT_EQ(given({Event{created}}).when(command).code(), "ok") << "what it had may stay";
}

TEST(Project, members_are_added_changed_and_removed) {
  given(project_with_members())
      .when(AddMember{kProject, UserId{90}, Role::reviewer, Role::reviewer}, kAdmin)
      .then({ProjectMemberAdded{kProject, UserId{90}, Role::reviewer}});
  given(project_with_members())
      .when(AddMember{kProject, kAnnotator, Role::viewer, Role::annotator})
      .then_fails("ALREADY_MEMBER");
  given(project_with_members())
      .when(ChangeMemberRole{kProject, kReviewer, Role::viewer, Role::reviewer})
      .then({ProjectMemberRoleChanged{kProject, kReviewer, Role::reviewer, Role::viewer}});
  given(project_with_members())
      .when(ChangeMemberRole{kProject, kReviewer, Role::reviewer, Role::reviewer})
      .then_nothing();
  given(project_with_members())
      .when(ChangeMemberRole{kProject, UserId{90}, Role::viewer, Role::viewer})
      .then_fails("NOT_FOUND");
  given(project_with_members())
      .when(RemoveMember{kProject, kReviewer})
      .then({ProjectMemberRemoved{kProject, kReviewer}});
  given(project_with_members()).when(RemoveMember{kProject, UserId{90}}).then_fails("NOT_FOUND");
  given(project_with_members())
      .when(RemoveMember{kProject, kReviewer}, kReviewer)
      .then_fails("FORBIDDEN");
}

TEST(Project, a_project_role_is_never_above_the_global_role) {
  constexpr Role kRoles[] = {Role::viewer, Role::annotator, Role::reviewer, Role::project_admin,
                             Role::super_admin};
  for (const Role role : kRoles) {
    for (const Role global : kRoles) {
      const char* expected = role == Role::super_admin ? "VALIDATION_ERROR"
                             : role > global           ? "ROLE_ABOVE_GLOBAL"
                                                       : "ok";
      EXPECT_EQ(
          given(project_with_members()).when(AddMember{kProject, UserId{90}, role, global}).code(),
          expected);
    }
  }
}

TEST(Project, a_dataset_may_be_linked_by_admins_unless_archived) {
  given(project_with_members()).when(CheckLinkAllowed{kProject, kDataset}, kAdmin).then_nothing();
  given(project_with_members())
      .when(CheckLinkAllowed{kProject, kDataset}, kReviewer)
      .then_fails("FORBIDDEN");
  given(project_with_members())
      .when(CheckLinkAllowed{kProject, kDataset}, kStranger)
      .then_fails("NOT_FOUND");
  auto on = given(project_with_members());
  on.world.project.status = ProjectStatus::archived;
  on.when(CheckLinkAllowed{kProject, kDataset}).then_fails("PROJECT_ARCHIVED");
}

TEST(Project, an_export_leaves_its_trace_when_the_global_role_allows_it) {
  const RecordExport command{kProject, "coco", true};
  Outcome(decide(command, as(kAdmin)))
      .then({ProjectExported{kProject, "coco", true, std::nullopt}});
  Outcome(decide(command, as(kReviewer))).then_fails("FORBIDDEN");
}

}  // namespace
}  // namespace annolog::testing::project_test
