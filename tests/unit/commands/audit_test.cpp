// The audit's rows: written by the commit that decides the request, one for each, refused or not,
// and chained (docs/decisions/0032).
#include <gmock/gmock.h>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/events.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::audit_test {
namespace {

using ::testing::Optional;

struct Scene {
  Scene() {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    reviewer = service.add_user(Role::reviewer);
    project = service.add_project("Streets", owner);
    service.add_member(project, owner, annotator);
    service.add_member(project, owner, reviewer);
    dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, 3);
    service.link(dataset, project, owner);
  }

  static RequestFacts facts(const std::string& action, const std::string& target_type,
                            std::int64_t status = 200) {
    RequestFacts made;
    made.action = action;
    made.method = "POST";
    made.path = "/api/v1/somewhere";
    made.status = status;
    made.proof = CallerProof::token;
    made.target_type = target_type;
    return made;
  }
  Outcome call(Command command, Who who, RequestFacts request, const std::string& key = "") {
    auto envelope = service.envelope(std::move(command), who, key, key);
    envelope.request = std::move(request);
    envelope.request_id = "r" + std::to_string(++requests);
    return service.send(std::move(envelope)).get();
  }
  Outcome next(const std::string& key = "") {
    return call(TakeNextTask{project, {}}, annotator, facts("task.next", "task"), key);
  }
  Outcome create(const CreateProject& wish, const std::string& key = "") {
    auto envelope = service.envelope(wish, owner, key, key);
    envelope.request = facts("project.create", "project", 201);
    return service.through(&commands::Naming::create, std::move(envelope));
  }
  std::vector<RequestRecorded> rows() const {
    std::vector<RequestRecorded> found;
    for (const auto& record : service.records())
      if (record.headers.type == RequestRecorded::kType)
        found.push_back(std::get<RequestRecorded>(
            codec::decode_event(record.headers.type, record.headers.schema_version, record.data)));
    return found;
  }
  RequestRecorded row() const { return rows().back(); }

  Service service;
  Who owner, annotator, reviewer;
  ProjectId project;
  DatasetId dataset;
  int requests = 0;
};

TEST(Audit, a_request_and_its_effect_are_one_command) {
  Scene scene;
  const auto outcome = scene.next();
  const auto task = Service::take<TaskView>(outcome);
  EXPECT_TRUE(outcome.recorded);
  const auto records = scene.service.records();
  const auto row = scene.row();
  EXPECT_EQ(row.action, "task.next");
  EXPECT_EQ(row.status, 200);
  EXPECT_THAT(row.actor_id, Optional(scene.annotator.id));
  EXPECT_THAT(row.actor_role, Optional(Role::annotator));
  EXPECT_EQ(row.request_id, "r1");
  EXPECT_THAT(row.target_id, Optional(task.id.value));
  EXPECT_THAT(row.detail.display_id, Optional(task.display_id));
  EXPECT_THAT(row.project_id, Optional(scene.project));
  const auto& position = *outcome.position;
  const auto at = std::ranges::find_if(
      records, [&](const auto& record) { return record.position == position; });
  ASSERT_NE(at, records.end());
  EXPECT_EQ(at->headers.type, RequestRecorded::kType);
}

TEST(Audit, a_refused_request_leaves_its_row_alone) {
  Scene scene;
  const auto before = scene.service.records().size();
  const auto outcome =
      scene.call(ApproveTask{TaskId{1}}, scene.reviewer, Scene::facts("task.approve", "task"));
  EXPECT_FALSE(outcome.reply);
  EXPECT_TRUE(outcome.recorded);
  EXPECT_EQ(scene.service.records().size(), before + 1);
  EXPECT_EQ(scene.row().status, 404);
  EXPECT_THAT(scene.row().detail.code, Optional(std::string("NOT_FOUND")));
}

TEST(Audit, a_refused_step_of_a_task_knows_its_project) {
  Scene scene;
  const auto task = Service::take<TaskView>(scene.next()).id;
  auto facts = Scene::facts("task.approve", "task");
  facts.target_id = task.value;
  facts.task_id = task;
  EXPECT_FALSE(scene.call(ApproveTask{task}, scene.reviewer, facts).reply);
  EXPECT_EQ(scene.row().status, 409);
  EXPECT_THAT(scene.row().project_id, Optional(scene.project));
}

TEST(Audit, nothing_to_hand_out_is_an_answer_without_content) {
  Scene scene;
  const auto empty = scene.service.add_project("Empty", scene.owner);
  const auto outcome =
      scene.call(TakeNextTask{empty, {}}, scene.owner, Scene::facts("task.next", "task"));
  Service::take<commands::NoTask>(outcome);
  EXPECT_EQ(scene.row().status, 204);
}

TEST(Audit, a_retry_leaves_a_row_of_its_own_and_the_first_answers_place) {
  Scene scene;
  const auto first = scene.next("k");
  const auto again = scene.next("k");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.position, first.position);
  EXPECT_EQ(first.row, std::nullopt);
  ASSERT_EQ(again.row, scene.service.records().back().position);
  EXPECT_GT(again.row->offset, again.position->offset);
  ASSERT_EQ(scene.rows().size(), 2U);
  EXPECT_EQ(scene.rows()[0].detail.replayed, std::nullopt);
  EXPECT_THAT(scene.rows()[1].detail.replayed, Optional(true));
}

TEST(Audit, a_retry_is_told_after_a_restart_and_a_refold) {
  Scene scene;
  const auto first = scene.next("k");
  scene.service.restart();
  scene.service.expect_refold_gives_the_same();
  const auto again = scene.next("k");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.position, first.position);
}

TEST(Audit, the_rows_of_a_shard_are_a_chain) {
  Scene scene;
  for (int i = 0; i < 3; ++i) scene.next();
  scene.service.restart();
  scene.next();
  std::string previous(64, '0');
  std::int64_t number = 0;
  for (const auto& record : scene.service.records()) {
    if (record.headers.type != RequestRecorded::kType) continue;
    const auto row = std::get<RequestRecorded>(
        codec::decode_event(record.headers.type, record.headers.schema_version, record.data));
    EXPECT_EQ(row.number, ++number);
    EXPECT_EQ(row.previous, previous);
    const auto digest = platform::sha256(record.data);
    previous = platform::to_hex(platform::as_bytes_view(digest));
  }
  EXPECT_EQ(number, 4);
}

TEST(Audit, a_command_without_a_request_leaves_no_row) {
  Scene scene;
  EXPECT_FALSE(scene.service.call(TakeNextTask{scene.project, {}}, scene.annotator).recorded);
  EXPECT_TRUE(scene.rows().empty());
}

TEST(Audit, what_waited_too_long_is_recorded_as_refused) {
  Scene scene;
  auto envelope = scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator);
  envelope.request = Scene::facts("task.next", "task");
  envelope.deadline_ms = -1;
  EXPECT_EQ(Service::code(scene.service.send(std::move(envelope)).get()), "DEADLINE_EXCEEDED");
  EXPECT_EQ(scene.row().status, 503);
}

TEST(Audit, a_request_that_no_command_carries_is_recorded_by_itself) {
  Scene scene;
  auto facts = Scene::facts("task.reject", "task", 422);
  facts.detail.code = "VALIDATION_ERROR";
  const auto shard = commands::shard_of(scene.project.value, scene.service.log->shard_count());
  EXPECT_TRUE(scene.call(RecordRequest{shard.value}, scene.reviewer, facts).recorded);
  EXPECT_EQ(scene.row().status, 422);
  EXPECT_THAT(scene.row().detail.code, Optional(std::string("VALIDATION_ERROR")));
}

TEST(Audit, nobody_has_no_id) {
  Scene scene;
  auto facts = Scene::facts("task.reject", "task", 401);
  facts.proof = CallerProof::nobody;
  facts.origin.ip = "192.0.2.1";
  EXPECT_TRUE(scene.call(RecordRequest{0}, {UserId{}, Role::viewer}, facts).recorded);
  EXPECT_EQ(scene.row().actor_id, std::nullopt);
  EXPECT_EQ(scene.row().actor_role, std::nullopt);
  EXPECT_THAT(scene.row().origin.ip, Optional(std::string("192.0.2.1")));
}

TEST(Audit, a_call_about_many_batches_names_each) {
  Scene scene;
  std::vector<std::int64_t> ids;
  std::vector<BatchRef> refs;
  for (int i = 0; i < 2; ++i) {
    CreateBatch wish;
    wish.project_id = scene.project;
    const auto batch = scene.service.must<BatchView>(wish, scene.owner);
    ids.push_back(batch.id.value);
    refs.push_back(batch_ref_from(i == 0 ? std::to_string(batch.id.value) : batch.display_id));
  }
  refs.push_back(batch_ref_from("B-DEFAULT"));
  auto facts = Scene::facts("batch.bulk_archive", "project");
  facts.target_id = scene.project.value;
  facts.project_id = scene.project;
  const auto outcome =
      scene.call(ChangeBatches{scene.project, BulkAction::archive, refs}, scene.owner, facts);
  ASSERT_TRUE(outcome.reply);
  EXPECT_THAT(scene.row().detail.batch_ids, Optional(::testing::UnorderedElementsAreArray(ids)));
}

TEST(Audit, a_batch_that_is_named_by_its_display_id_is_found) {
  Scene scene;
  CreateBatch wish;
  wish.project_id = scene.project;
  const auto batch = scene.service.must<BatchView>(wish, scene.owner);
  auto facts = Scene::facts("batch.reset", "batch");
  facts.project_id = scene.project;
  facts.detail.display_id = batch.display_id;
  const ResetBatch reset{scene.project, batch_ref_from(batch.display_id), "too short"};
  EXPECT_FALSE(scene.call(reset, scene.owner, facts).reply);
  EXPECT_THAT(scene.row().target_id, Optional(batch.id.value));
}

TEST(Audit, a_reviewers_edit_of_what_is_in_review_has_a_name_of_its_own) {
  Scene scene;
  const auto task = Service::take<TaskView>(scene.next()).id;
  Shape shape;
  shape.class_name = "car";
  shape.geometry = Bbox{0, 0, 1, 1};
  const auto added = scene.service.must<commands::AnnotationsAdded>(
      AddAnnotations{task, {shape}, true}, scene.annotator);
  scene.service.must<TaskView>(SubmitForReview{task}, scene.annotator);
  UpdateAnnotation edit;
  edit.task_id = task;
  edit.annotation_id = added.annotations.front().id;
  edit.class_name = "bus";
  auto facts = Scene::facts("annotation.update", "annotation");
  facts.target_id = edit.annotation_id.value;
  facts.task_id = task;
  ASSERT_TRUE(scene.call(edit, scene.reviewer, facts).reply);
  EXPECT_EQ(scene.row().action, "task.reviewer_edit");
  EXPECT_EQ(scene.row().target_type, "annotation");
}

TEST(Audit, a_creation_by_two_commands_is_one_row) {
  Scene scene;
  const auto outcome = scene.create(Service::project_wish("Bridges", scene.owner));
  EXPECT_TRUE(outcome.recorded);
  ASSERT_EQ(scene.rows().size(), 1U);
  EXPECT_EQ(scene.row().status, 201);
  EXPECT_THAT(scene.row().target_id,
              Optional(std::get<ProjectView>(outcome.reply.value()).id.value));
}

// The caller was gone when its reservation was finished for it: its first retry is what is granted.
TEST(Audit, a_creation_that_was_finished_for_its_caller_is_granted_once) {
  Scene scene;
  const auto wish = Service::project_wish("Bridges", scene.owner);
  scene.service.call(ReserveName{NameKind::project, 0, 0, "Bridges", {codec::to_json_text(wish)}},
                     scene.owner, "\1key", "key");
  scene.service.restart_without_links();
  scene.service.settle_names();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(scene.create(wish, "key").reply);
  ASSERT_EQ(scene.rows().size(), 3U);
  EXPECT_EQ(scene.rows()[0].detail.replayed, std::nullopt);
  EXPECT_THAT(scene.rows()[1].detail.replayed, Optional(true));
  EXPECT_THAT(scene.rows()[2].detail.replayed, Optional(true));
  scene.service.expect_refold_gives_the_same();
}

TEST(Audit, what_changed_nothing_is_granted_once_too) {
  Scene scene;
  UpdateProject same;
  same.project_id = scene.project;
  same.name = "Streets";
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(
        scene.call(same, scene.owner, Scene::facts("project.update", "project"), "key").reply);
  EXPECT_EQ(scene.service.count_records("project.updated"), 0U);
  ASSERT_EQ(scene.rows().size(), 2U);
  EXPECT_EQ(scene.rows()[0].detail.replayed, std::nullopt);
  EXPECT_THAT(scene.rows()[1].detail.replayed, Optional(true));
}

}  // namespace
}  // namespace annolog::testing::audit_test
