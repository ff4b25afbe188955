// What webhooks are told of domain events: names, data, lanes; and which of them are told.
#include "projections/webhooks/outbound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "domain/webhook/catalogue.hpp"
#include "projections/webhooks/dispatch_plan.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::projections::outbound_test {
namespace {

using eventstore::Offset;
using eventstore::Position;
using eventstore::ShardId;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ProjectId kProject{9};  // of shard 1
constexpr TaskId kTask{41};
constexpr std::uint16_t kShards = 4;
constexpr ShardId kShard{1};
const Happened kHow{UserId{7}, Timestamp{1'750'000'000'000}};
const DisplayNumbers kNumbers{{{41, 3}}, {{61, 2}}};

TEST(Outbound, an_approval_is_told_by_its_name_and_as_a_review) {
  const auto told =
      outbound_of(TaskApproved{kProject, kTask, UserId{7}, UserId{8}}, kHow, kNumbers);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].event, "task.approved");
  EXPECT_EQ(told[0].lane, "task/41");
  EXPECT_EQ(json::parse(told[0].data), json::parse(R"({"project_id": 9, "task_id": 41,
    "display_id": "T-3", "status": "completed", "reviewer_id": 7, "assignee_id": 8,
    "actor_id": 7})"));
  EXPECT_EQ(told[1].event, "task.reviewed");
  EXPECT_EQ(told[1].lane, "task/41");
  EXPECT_EQ(json::parse(told[1].data).at("outcome"), "approved");
}

TEST(Outbound, a_rejection_tells_why) {
  TaskRejected event;
  event.project_id = kProject;
  event.task_id = kTask;
  event.reviewer_id = UserId{7};
  event.reason_type = RejectReason::wrong_label;
  event.reason = "a \"bus\"";
  const auto told = outbound_of(event, kHow, {});
  ASSERT_EQ(told.size(), 2U);
  const json data = json::parse(told[0].data);
  EXPECT_EQ(data.at("reason_type"), "wrong_label");
  EXPECT_EQ(data.at("reason"), "a \"bus\"");
  EXPECT_EQ(data.at("assignee_id"), nullptr);
  EXPECT_EQ(data.at("display_id"), nullptr) << "not known any more";
  EXPECT_EQ(json::parse(told[1].data).at("outcome"), "rejected");
}

TEST(Outbound, each_task_that_is_born_is_told_by_itself) {
  TasksCreated event{kProject, DatasetId{5}, {}};
  for (std::int64_t i = 0; i < 3; ++i)
    event.tasks.push_back({TaskId{41 + 4 * i}, 1 + i, ItemId{6}, "a.png", "p", {}, {}});
  const auto told = outbound_of(event, {kSystemUser, kHow.at}, {});
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[2].lane, "task/49");
  EXPECT_EQ(json::parse(told[2].data), json::parse(R"({"project_id": 9, "task_id": 49,
    "display_id": "T-3", "status": "pending", "dataset_id": 5, "dataset_item_id": 6,
    "file_name": "a.png", "actor_id": null})"));
}

TEST(Outbound, the_settings_that_changed_are_named_and_what_people_wrote_is_not_told) {
  ProjectUpdated settings;
  settings.project_id = kProject;
  settings.name = "Streets";
  settings.status = ProjectStatus::archived;
  const auto of_settings = outbound_of(settings, kHow, {});
  ASSERT_EQ(of_settings.size(), 1U);
  EXPECT_EQ(json::parse(of_settings[0].data).at("changed"), json::parse(R"(["name","status"])"));

  const CommentAdded comment{kProject, kTask, CommentId{4}, {}, UserId{7}, "secret", {UserId{8}}};
  const auto of_comment = outbound_of(comment, kHow, kNumbers);
  ASSERT_EQ(of_comment.size(), 1U);
  EXPECT_EQ(of_comment[0].data.find("secret"), std::string::npos);
  EXPECT_EQ(json::parse(of_comment[0].data).at("mentions"), json::parse("[8]"));
}

// All that is promised is told, and nothing else.
TEST(Outbound, tells_what_the_catalogue_says) {
  std::map<std::string_view, std::vector<std::string_view>> promised;
  for (const OutboundEvent& event : outbound_events()) promised[event.of].push_back(event.name);
  annolog::testing::Filler filler(true);
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, AnyEvent>>([&](auto type) {
    using E = typename decltype(type)::type;
    std::vector<std::string_view> names;
    for (const Outbound& told : outbound_of(filler.template make<E>(), kHow, {})) {
      EXPECT_TRUE(json::parse(told.data).contains("actor_id")) << E::kType;
      EXPECT_FALSE(told.lane.empty()) << E::kType;
      if (std::ranges::find(names, told.event) == names.end()) names.push_back(told.event);
    }
    EXPECT_EQ(names, promised[E::kType]) << E::kType;
  });
}

TEST(Envelopes, have_the_five_members_of_the_specification) {
  const Outbound outbound{"task.approved", "task/41", R"({"task_id":41})"};
  EXPECT_EQ(json::parse(envelope(outbound, "dlv_1_2_3_0", kHow.at)), json::parse(R"({
    "event_version": "1.0", "event": "task.approved", "delivery_id": "dlv_1_2_3_0",
    "occurred_at": "2025-06-15T15:06:40.000Z", "data": {"task_id": 41}})"));
}

WebhookTarget target(std::int64_t id, std::optional<ProjectId> project,
                     std::vector<std::string> events) {
  WebhookTarget made;
  made.id = WebhookId{id};
  made.project_id = project;
  made.log_offset = 10;
  made.events = std::move(events);
  made.active = true;
  made.active_since = kHow.at;
  return made;
}

Position at(std::uint64_t offset) { return {kShard, Offset{offset}}; }

std::vector<std::string> made(const WebhookTargets& targets, const Event& event, Position place,
                              const Happened& how = kHow) {
  DispatchBatch batch;
  DispatchPlan(targets, kShards).add(event, how, place, {}, batch);
  std::vector<std::string> ids;
  for (const auto& one : batch.made) ids.push_back(to_text(one.id) + " " + one.event);
  return ids;
}

const TaskApproved kApproved{kProject, kTask, UserId{7}, UserId{8}};

TEST(DispatchPlan, tells_active_webhooks_of_the_project_and_of_all_what_they_asked_for) {
  WebhookTargets targets{target(5, kProject, {"task.*"}),
                         target(8, std::nullopt, {"task.reviewed"}),
                         target(9, kProject, {"batch.*"}), target(13, ProjectId{13}, {"*"})};
  EXPECT_THAT(made(targets, kApproved, at(11)),
              ElementsAre("dlv_5_1_11_0 task.approved", "dlv_5_1_11_1 task.reviewed",
                          "dlv_8_1_11_1 task.reviewed"));
  targets[0].active = false;
  EXPECT_THAT(made(targets, kApproved, at(11)), ElementsAre("dlv_8_1_11_1 task.reviewed"));
}

TEST(DispatchPlan, a_webhook_is_told_of_what_comes_after_it) {
  const WebhookTargets of_project{target(5, kProject, {"task.approved"})};
  EXPECT_THAT(made(of_project, kApproved, at(10)), IsEmpty());
  EXPECT_THAT(made(of_project, kApproved, at(11)), ElementsAre("dlv_5_1_11_0 task.approved"));
  // In another shard there is no such order: the time counts, as far as clocks agree.
  const WebhookTargets of_all{target(8, std::nullopt, {"task.approved"})};
  EXPECT_THAT(made(of_all, kApproved, at(2), {UserId{7}, kHow.at + -1'001}), IsEmpty());
  EXPECT_THAT(made(of_all, kApproved, at(2), {UserId{7}, kHow.at + -1'000}),
              ElementsAre("dlv_8_1_2_0 task.approved"));
}

TEST(DispatchPlan, knows_which_shards_and_types_concern_nobody) {
  const WebhookTargets targets{target(5, kProject, {"task.approved"})};
  const DispatchPlan plan(targets, kShards);
  EXPECT_TRUE(plan.concerns(kShard));
  EXPECT_TRUE(plan.concerns(ShardId{0})) << "exports are recorded there";
  EXPECT_FALSE(plan.concerns(ShardId{2}));
  EXPECT_TRUE(plan.wants(TaskApproved::kType));
  EXPECT_FALSE(plan.wants(TaskRejected::kType));
  EXPECT_TRUE(plan.wants(WebhookDeleted::kType));
  WebhookTargets none{target(8, std::nullopt, {"*"})};
  EXPECT_TRUE(DispatchPlan(none, kShards).concerns(ShardId{2}));
  none[0].active = false;
  EXPECT_FALSE(DispatchPlan(none, kShards).concerns(ShardId{2}));
}

TEST(DispatchPlan, pings_who_asked_and_ends_what_is_over) {
  const WebhookTargets targets{target(5, kProject, {"task.approved"})};
  const DispatchPlan plan(targets, kShards);
  DispatchBatch batch;
  EXPECT_FALSE(plan.add(WebhookTested{WebhookId{5}, kProject, 3}, kHow, at(12), {}, batch));
  ASSERT_EQ(batch.made.size(), 1U);
  EXPECT_EQ(to_text(batch.made[0].id), "ping_5_1_3");
  EXPECT_EQ(batch.made[0].lane, "");
  EXPECT_TRUE(plan.add(WebhookReplayRequested{WebhookId{5}, kProject, "dlv_5_1_11_0"}, kHow, at(13),
                       {}, batch));
  EXPECT_THAT(batch.replayed, ElementsAre(DeliveryId{WebhookId{5}, 1, 11, 0}));
  plan.add(WebhookReplayRequested{WebhookId{5}, kProject, "dlv_8_1_11_0"}, kHow, at(14), {}, batch);
  EXPECT_EQ(batch.replayed.size(), 1U) << "another's";
  plan.add(WebhookDeleted{WebhookId{5}, kProject}, kHow, at(15), {}, batch);
  EXPECT_THAT(batch.turned, ElementsAre(TurnedWebhook{WebhookId{5}, 15}));
  plan.add(ProjectDeleted{kProject}, kHow, at(16), {}, batch);
  EXPECT_THAT(batch.ended_projects, ElementsAre(kProject));
}

}  // namespace
}  // namespace annolog::projections::outbound_test
