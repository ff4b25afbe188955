// One batch: made, filled, emptied, renamed, given to people, deleted (decisions, section 4).
#include <limits>

#include "domain/dataset/events.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_test {
namespace {

using S = BatchStatus;

constexpr std::array kAll{S::draft,    S::active,   S::annotating, S::reviewing,
                          S::approved, S::rejected, S::archived};
constexpr BatchId kOtherBatch{61};
const BatchRef kRef{kBatch.value, 0, {}};

struct Right {
  UserId user;
  const char* code;
};
constexpr Right kAdmins[] = {{kViewer, "FORBIDDEN"},   {kAnnotator, "FORBIDDEN"},
                             {kReviewer, "FORBIDDEN"}, {kAdmin, "ok"},
                             {kOwner, "ok"},           {kRoot, "ok"},
                             {kStranger, "NOT_FOUND"}};
constexpr Right kOwners[] = {{kViewer, "FORBIDDEN"},   {kAnnotator, "FORBIDDEN"},
                             {kReviewer, "FORBIDDEN"}, {kAdmin, "FORBIDDEN"},
                             {kOwner, "ok"},           {kRoot, "ok"},
                             {kStranger, "NOT_FOUND"}};

CreateBatch create() { return {kProject, {}, {}, {}, {}, {}, {}, {}}; }
UpdateBatch update() { return {kProject, kRef, {}, {}, {}, {}, {}}; }
AddBatchTasks fill_with(std::vector<TaskId> ids) {
  return {kProject, kRef, std::move(ids), {}, {}};
}
RemoveBatchTasks take_out(std::vector<TaskId> ids) { return {kProject, kRef, std::move(ids)}; }

Given project_with(std::vector<JoiningTask> tasks) {
  auto on = given(project_with_members());
  on.world.joining = std::move(tasks);
  return on;
}
Given batch_at(S status, std::vector<JoiningTask> tasks) {
  auto on = given_batch(status);
  on.world.joining = std::move(tasks);
  return on;
}

std::vector<TaskId> task_ids(int count) {
  std::vector<TaskId> ids;
  for (int i = 1; i <= count; ++i) ids.emplace_back(i);
  return ids;
}
std::vector<JoiningTask> tasks_of(std::optional<BatchId> batch, int count) {
  std::vector<JoiningTask> tasks;
  for (const auto id : task_ids(count)) tasks.push_back({id, 1, batch});
  return tasks;
}
const std::vector<JoiningTask> kTwoFree = tasks_of(std::nullopt, 2);

// --- Made.

TEST(Batch, is_made_with_people_and_tasks) {
  auto command = create();
  command.name = "  Night \n";
  command.annotator_id = kAnnotator;
  command.reviewer_id = kReviewer;
  command.task_ids = task_ids(2);
  project_with(kTwoFree).when(command).then(
      {BatchCreated{kProject, kBatch, kBatchNumber, "Night", kAnnotator, kReviewer},
       BatchTasksAdded{kProject, kBatch, kAnnotator, kReviewer, task_ids(2)}});
}

TEST(Batch, is_a_draft_called_by_its_display_id_where_nothing_is_said) {
  const BatchCreated created{kProject, kBatch, kBatchNumber, "B-3", std::nullopt, std::nullopt};
  project_with({}).when(create()).then({created});
  auto past = project_with_members();
  past.emplace_back(Event{created}, kAdmin, kNow + 5);
  const auto state = given(past).world.batch->batch;
  EXPECT_EQ(state.status, S::draft);
  EXPECT_EQ(state.created_by, kAdmin);
  EXPECT_EQ(state.created_at, kNow + 5);
}

TEST(Batch, takes_the_oldest_or_all_of_a_dataset) {
  auto command = create();
  command.of_dataset = kDataset;
  for (const auto& count : {std::optional<std::int64_t>(10'000), std::optional<std::int64_t>()}) {
    command.task_count = count;
    project_with(kTwoFree).when(command).then(
        {BatchCreated{kProject, kBatch, kBatchNumber, "B-3", {}, {}},
         BatchTasksAdded{kProject, kBatch, {}, {}, task_ids(2)}});
  }
  project_with(tasks_of({}, 10'001)).when(command).then_fails("BATCH_FULL");
}

TEST(Batch, of_ten_thousand_tasks_is_told_in_parts) {
  auto command = create();
  command.task_ids = task_ids(10'000);
  const auto outcome = project_with(tasks_of({}, 10'000)).when(command);
  ASSERT_TRUE(outcome.result());
  std::vector<TaskId> told;
  for (std::size_t i = 1; i < outcome.result().value().size(); ++i) {
    const auto& part = std::get<BatchTasksAdded>(outcome.result().value()[i]);
    EXPECT_LE(part.task_ids.size(), kMaxItemsPerEvent);
    told.insert(told.end(), part.task_ids.begin(), part.task_ids.end());
  }
  EXPECT_EQ(told, task_ids(10'000));
}

TEST(Batch, is_made_filled_and_changed_by_project_admins_and_above) {
  for (const auto& [user, code] : kAdmins) {
    SCOPED_TRACE(user.value);
    auto name = update();
    name.name = "Day";
    EXPECT_EQ(project_with({}).when(create(), user).code(), code);
    EXPECT_EQ(given_batch(S::draft).when(name, user).code(), code);
    EXPECT_EQ(batch_at(S::draft, kTwoFree).when(fill_with(task_ids(2)), user).code(), code);
    EXPECT_EQ(batch_at(S::draft, tasks_of(kBatch, 2)).when(take_out(task_ids(2)), user).code(),
              code);
  }
}

TEST(Batch, is_deleted_by_the_owner) {
  for (const auto& [user, code] : kOwners) {
    for (const S status : kAll) {
      EXPECT_EQ(given_batch(status).when(DeleteBatch{kProject, kRef, {}}, user).code(), code);
    }
  }
  given_batch(S::annotating)
      .when(DeleteBatch{kProject, kRef, {}})
      .then({BatchDeleted{kProject, kBatch}});
}

TEST(Batch, that_is_not_there_is_not_found) {
  auto on = project_with({});
  on.when(update()).then_fails("NOT_FOUND");
  on.when(DeleteBatch{kProject, kRef, {}}).then_fails("NOT_FOUND");
  on.when(fill_with({kTask})).then_fails("NOT_FOUND");
  on.when(take_out({kTask})).then_fails("NOT_FOUND");
}

TEST(Batch, stays_as_it_is_in_an_archived_project) {
  auto on = batch_at(S::draft, kTwoFree);
  on.world.project.status = ProjectStatus::archived;
  on.when(create()).then_fails("PROJECT_ARCHIVED");
  on.when(update()).then_fails("PROJECT_ARCHIVED");
  on.when(fill_with(task_ids(2))).then_fails("PROJECT_ARCHIVED");
  on.when(take_out(task_ids(2))).then_fails("PROJECT_ARCHIVED");
}

TEST(Batch, has_a_name_of_1_to_200_characters) {
  const auto called = [](const std::string& name) {
    auto command = create();
    command.name = name;
    auto change = update();
    change.name = name;
    const auto made = project_with({}).when(command);
    EXPECT_EQ(given_batch(S::draft).when(change).code(), made.code());
    return made;
  };
  std::string longest;
  for (int i = 0; i < 200; ++i) longest += "\xE2\x82\xAC";
  EXPECT_EQ(called(longest).code(), "ok");
  EXPECT_EQ(called("x").code(), "ok");
  for (const auto& bad : {std::string(), std::string("   "), std::string(201, 'x')}) {
    called(bad).then_invalid({"length"});
  }
}

TEST(Batch, wish_that_contradicts_itself_is_refused_with_every_error) {
  const auto with = [](std::optional<std::vector<TaskId>> ids, std::optional<DatasetId> dataset,
                       std::optional<std::int64_t> count) {
    auto command = create();
    command.task_ids = ids;
    command.of_dataset = dataset;
    command.task_count = count;
    const auto made = project_with({}).when(command);
    const AddBatchTasks fill{kProject, kRef, ids, dataset, count};
    const auto filled = batch_at(S::draft, {}).when(fill);
    EXPECT_EQ(made.code(), filled.code());
    return made;
  };
  with(task_ids(1), {}, 1).then_invalid({"exclusive"});
  with(task_ids(1), kDataset, {}).then_invalid({"exclusive"});
  with({}, {}, 0).then_invalid({"out_of_range"});
  with({}, kDataset, 10'001).then_invalid({"out_of_range"});
  with({}, {}, std::numeric_limits<std::int64_t>::max()).then_invalid({"out_of_range"});
  with(task_ids(10'001), {}, {}).then_invalid({"too_many_items"});
  auto command = create();
  command.name = "";
  command.task_count = 0;
  project_with({}).when(command).then_invalid({"length", "out_of_range"});
}

// --- People.

TEST(Batch, people_work_in_the_project_with_the_role_their_place_needs) {
  struct Row {
    UserId user;
    bool annotates, reviews;
  };
  constexpr Row kRows[] = {{kOwner, true, true},       {kAdmin, true, true},
                           {kReviewer, true, true},    {kAnnotator, true, false},
                           {kViewer, false, false},    {kStranger, false, false},
                           {UserId{999}, false, false}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.user.value);
    auto making = create();
    making.annotator_id = row.user;
    auto changing = update();
    changing.annotator_id = Patch<UserId>(row.user);
    for (const auto& outcome :
         {project_with({}).when(making), given_batch(S::draft).when(changing)}) {
      if (row.annotates) EXPECT_EQ(outcome.code(), "ok");
      if (!row.annotates) outcome.then_invalid({"not_an_annotator"});
    }
    making.annotator_id.reset();
    making.reviewer_id = row.user;
    changing.annotator_id = {};
    changing.reviewer_id = Patch<UserId>(row.user);
    for (const auto& outcome :
         {project_with({}).when(making), given_batch(S::draft).when(changing)}) {
      if (row.reviews) EXPECT_EQ(outcome.code(), "ok");
      if (!row.reviews) outcome.then_invalid({"not_a_reviewer"});
    }
  }
}

TEST(Batch, both_places_are_checked_and_named) {
  auto command = create();
  command.annotator_id = kViewer;
  command.reviewer_id = kAnnotator;
  const auto outcome = project_with({}).when(command);
  outcome.then_invalid({"not_an_annotator", "not_a_reviewer"});
  ASSERT_EQ(outcome.result().error().errors.size(), 2U);
  EXPECT_EQ(outcome.result().error().errors[0].loc, (Location{std::string("annotator_id")}));
  EXPECT_EQ(outcome.result().error().errors[1].loc, (Location{std::string("reviewer_id")}));
}

TEST(Batch, one_person_may_hold_both_places) {
  auto command = update();
  command.annotator_id = Patch<UserId>(kReviewer);
  given_batch(S::active).when(command).then(
      {BatchAssigned{kProject, kBatch, kReviewer, kReviewer, true, false}});
}

TEST(Batch, a_change_of_people_is_one_fact_that_says_what_changed) {
  auto command = update();
  command.annotator_id = Patch<UserId>(kOther);
  given_batch(S::active).when(command).then(
      {BatchAssigned{kProject, kBatch, kOther, kReviewer, true, false}});
  command.reviewer_id = Patch<UserId>::null();
  given_batch(S::active).when(command).then(
      {BatchAssigned{kProject, kBatch, kOther, {}, true, true}});
  command.annotator_id = Patch<UserId>::null();
  command.reviewer_id = {};
  given_batch(S::active).when(command).then(
      {BatchAssigned{kProject, kBatch, {}, kReviewer, true, false}});
}

TEST(Batch, what_changes_nothing_is_no_fact) {
  auto command = update();
  given_batch(S::active).when(command).then_nothing();
  command.name = " Night ";
  command.annotator_id = Patch<UserId>(kAnnotator);
  command.reviewer_id = Patch<UserId>(kReviewer);
  given_batch(S::active).when(command).then_nothing();
}

TEST(Batch, a_new_name_and_new_people_come_together_or_not_at_all) {
  auto command = update();
  command.name = "Day";
  command.annotator_id = Patch<UserId>(kOther);
  const auto outcome = given_batch(S::active).when(command);
  ASSERT_TRUE(outcome.result());
  auto on = given_batch(S::active);
  for (const auto& event : outcome.result().value()) on.world.happened(event, {kOwner, kNow + 3});
  EXPECT_EQ(on.world.batch->batch.name, "Day");
  EXPECT_EQ(on.world.batch->batch.annotator_id, kOther);
  EXPECT_EQ(on.world.batch->batch.updated_at, kNow + 3);
  command.annotator_id = Patch<UserId>(kViewer);
  given_batch(S::active).when(command).then_invalid({"not_an_annotator"});
}

TEST(Batch, if_match_is_honoured) {
  auto change = update();
  change.name = "Day";
  for (const auto& [versions, code] : std::vector<std::pair<ExpectedVersion, std::string>>{
           {{{1}}, "ok"},
           {{{7, 1}}, "ok"},
           {{{2}}, "VERSION_MISMATCH"},
           {{std::vector<std::int64_t>{}}, "VERSION_MISMATCH"}}) {
    change.expected_version = versions;
    const auto changed = given_batch(S::draft).when(change);
    const auto deleted = given_batch(S::draft).when(DeleteBatch{kProject, kRef, versions});
    EXPECT_EQ(changed.code(), code);
    EXPECT_EQ(deleted.code(), code);
    if (code == "ok") continue;
    EXPECT_EQ(changed.result().error().kind, DomainError::Kind::precondition_failed);
    EXPECT_EQ(deleted.result().error().kind, DomainError::Kind::precondition_failed);
  }
}

// --- Tasks.

TEST(Batch, its_tasks_change_while_it_is_draft_or_active) {
  for (const S status : kAll) {
    const bool open = status == S::draft || status == S::active;
    for (const auto& outcome :
         {batch_at(status, kTwoFree).when(fill_with(task_ids(2))),
          batch_at(status, tasks_of(kBatch, 2)).when(take_out(task_ids(2)))}) {
      EXPECT_EQ(outcome.code(), open ? "ok" : "BATCH_NOT_FILLABLE") << to_string(status);
      if (!open) EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
    }
  }
}

TEST(Batch, tasks_that_join_follow_its_people) {
  batch_at(S::active, kTwoFree)
      .when(fill_with(task_ids(2)))
      .then({BatchTasksAdded{kProject, kBatch, kAnnotator, kReviewer, task_ids(2)}});
  batch_at(S::active, tasks_of(kBatch, 2))
      .when(take_out(task_ids(2)))
      .then({BatchTasksRemoved{kProject, kBatch, task_ids(2)}});
}

TEST(Batch, a_task_joins_once_however_often_it_is_named) {
  const TaskId one{1};
  batch_at(S::draft, {{one, 1, {}}, {one, 1, {}}})
      .when(fill_with({one, one}))
      .then({BatchTasksAdded{kProject, kBatch, kAnnotator, kReviewer, {one}}});
  batch_at(S::draft, {{one, 1, kBatch}}).when(fill_with({one})).then_nothing();
  batch_at(S::draft, {}).when(fill_with({})).then_nothing();
  batch_at(S::draft, {{one, 1, kBatch}, {one, 1, kBatch}})
      .when(take_out({one, one}))
      .then({BatchTasksRemoved{kProject, kBatch, {one}}});
}

TEST(Batch, tasks_of_another_batch_are_named_and_nothing_is_done) {
  const std::vector<JoiningTask> mixed{{TaskId{1}, 1, {}}, {TaskId{2}, 1, kOtherBatch}};
  auto making = create();
  making.task_ids = task_ids(2);
  for (const auto& outcome :
       {project_with(mixed).when(making), batch_at(S::draft, mixed).when(fill_with(task_ids(2)))}) {
    outcome.then_fails("TASK_IN_OTHER_BATCH");
    EXPECT_EQ(outcome.result().error().detail,
              (DomainError::Detail{{"task_ids", std::vector<std::int64_t>{2}}}));
  }
  for (const auto& elsewhere : {std::optional<BatchId>(), std::optional(kOtherBatch)}) {
    const auto outcome = batch_at(S::draft, {{TaskId{1}, 1, kBatch}, {TaskId{2}, 1, elsewhere}})
                             .when(take_out(task_ids(2)));
    outcome.then_fails("TASK_NOT_IN_BATCH");
    EXPECT_EQ(outcome.result().error().detail,
              (DomainError::Detail{{"task_ids", std::vector<std::int64_t>{2}}}));
  }
}

TEST(Batch, unknown_tasks_are_all_named) {
  const std::vector<JoiningTask> tasks{{TaskId{1}, 1, {}}, {TaskId{2}, 0, {}}, {TaskId{3}, 0, {}}};
  auto making = create();
  making.task_ids = task_ids(3);
  for (const auto& outcome :
       {project_with(tasks).when(making), batch_at(S::draft, tasks).when(fill_with(task_ids(3))),
        batch_at(S::draft, tasks).when(take_out(task_ids(3)))}) {
    outcome.then_invalid({"unknown_task", "unknown_task"});
    ASSERT_EQ(outcome.result().error().errors.size(), 2U);
    EXPECT_EQ(outcome.result().error().errors[1].loc, (Location{std::string("task_ids"), 2}));
  }
}

TEST(Batch, holds_ten_thousand_tasks) {
  auto on = batch_at(S::draft, kTwoFree);
  on.world.batch->progress = {};
  on.world.batch->progress.completed = 9'998;
  EXPECT_EQ(on.when(fill_with(task_ids(2))).code(), "ok");
  on.world.batch->progress.pending = 1;
  const auto outcome = on.when(fill_with(task_ids(2)));
  outcome.then_fails("BATCH_FULL");
  EXPECT_EQ(outcome.result().error().kind, DomainError::Kind::conflict);
  on.when(AddBatchTasks{kProject, kRef, {}, {}, {}}).then_invalid({"missing"});
}

// --- Names of batches.

TEST(Batch, is_named_by_id_or_by_display_id) {
  EXPECT_EQ(batch_ref_from("4161"), (BatchRef{4161, 0, ""}));
  EXPECT_EQ(batch_ref_from("B-3"), (BatchRef{0, 3, ""}));
  EXPECT_EQ(batch_ref_from("9007199254740991"), (BatchRef{9007199254740991, 0, ""}));
  for (const std::string text :
       {"B-DEFAULT", "", "B-", "B-0", "0", "-1", "B--1", "+1", "1 ", " 1", "1.0", "b-3", "B3",
        "9007199254740992", "B-9007199254740992", "99999999999999999999", "1e3", "0x1"}) {
    EXPECT_EQ(batch_ref_from(text), (BatchRef{0, 0, text})) << text;
  }
  for (const std::string text : {"4161", "B-3", "B-DEFAULT", "nonsense"}) {
    EXPECT_EQ(to_string(batch_ref_from(text)), text);
  }
}

}  // namespace
}  // namespace annolog::testing::batch_test
