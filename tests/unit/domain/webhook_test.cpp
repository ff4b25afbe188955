// Webhooks: who may have them, what they may be told, when the service ends them.
#include <gmock/gmock.h>

#include <set>

#include "domain/codec/events.hpp"
#include "domain/webhook/catalogue.hpp"
#include "domain/webhook/commands.hpp"
#include "domain/webhook/delivery_id.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::webhook_test {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr WebhookId kWebhook{70};
const std::string kUrl = "https://example.org/hook";

WebhookCreated created(std::optional<ProjectId> project = kProject) {
  return {kWebhook, project, "CI", kUrl, {"task.*"}, true, "nonce", kAdmin};
}

WebhookState webhook(std::optional<ProjectId> project = kProject) {
  return born(created(project), {kAdmin, kNow});
}

ProjectState project() { return Given(project_with_members()).world.project; }

CreateWebhook wish(ProjectId project = kProject) {
  return {project, "CI", kUrl, {"task.*"}, true, "nonce"};
}

Outcome create(const CreateWebhook& command, UserId by, std::size_t there = 0) {
  const ProjectState in = command.project_id ? project() : ProjectState{};
  return Outcome(decide(in, command, as(by), there, kWebhook));
}

template <class C>
Outcome change(const WebhookState& state, const C& command, UserId by) {
  const ProjectState in = state.project_id ? project() : ProjectState{};
  if constexpr (std::is_same_v<C, TestWebhook>) {
    return Outcome(decide(WebhookCase{in, state}, command, as(by), 5));
  } else {
    return Outcome(decide(WebhookCase{in, state}, command, as(by)));
  }
}

TEST(CreateWebhook, project_admins_and_the_owner_make_those_of_a_project) {
  for (const UserId user : {kAdmin, kOwner, kRoot}) {
    WebhookCreated made = created();
    made.created_by = user;
    create(wish(), user).then({made});
  }
  for (const UserId user : {kReviewer, kAnnotator, kViewer})
    create(wish(), user).then_fails("FORBIDDEN");
  create(wish(), kStranger).then_fails("NOT_FOUND");
}

TEST(CreateWebhook, super_admins_make_global_ones) {
  WebhookCreated made = created(std::nullopt);
  made.created_by = kRoot;
  create(wish(ProjectId{}), kRoot).then({made});
  for (const UserId user : {kOwner, kAdmin, kViewer})
    create(wish(ProjectId{}), user).then_fails("FORBIDDEN");
}

TEST(CreateWebhook, names_events_that_there_are_each_once) {
  CreateWebhook bad = wish();
  bad.events = {"task.approved", "task.approve", "task", "batch.*", "**"};
  create(bad, kOwner).then_invalid({"unknown_event", "unknown_event", "unknown_event"});
  bad.events = {};
  bad.url = "";
  create(bad, kOwner).then_invalid({"length", "length"});
  CreateWebhook twice = wish();
  twice.events = {"*", "task.*", "*"};
  WebhookCreated made = created();
  made.events = {"*", "task.*"};
  made.created_by = kOwner;
  create(twice, kOwner).then({made});
}

TEST(CreateWebhook, a_project_has_so_many_at_most) {
  create(wish(), kOwner, kMaxWebhooks).then_fails("WEBHOOK_LIMIT_REACHED");
}

TEST(UpdateWebhook, tells_only_what_changes) {
  UpdateWebhook command{kWebhook, std::nullopt, "CI", "https://other.example/", {{"task.*"}}, true};
  WebhookUpdated event;
  event.webhook_id = kWebhook;
  event.project_id = kProject;
  event.url = command.url;
  change(webhook(), command, kAdmin).then({event});
  command.url = kUrl;
  change(webhook(), command, kAdmin).then_nothing();
  command.expected_version = std::vector<std::int64_t>{2};
  change(webhook(), command, kAdmin).then_fails("VERSION_MISMATCH");
}

TEST(Webhooks, are_managed_by_who_may_make_them_and_hidden_from_others) {
  const DeleteWebhook command{kWebhook, std::nullopt};
  for (const UserId user : {kAdmin, kOwner, kRoot})
    change(webhook(), command, user).then({WebhookDeleted{kWebhook, kProject}});
  change(webhook(), command, kReviewer).then_fails("FORBIDDEN");
  change(webhook(), command, kStranger).then_fails("NOT_FOUND");
  change(webhook(std::nullopt), command, kRoot).then({WebhookDeleted{kWebhook, std::nullopt}});
  change(webhook(std::nullopt), command, kOwner).then_fails("NOT_FOUND");
  change(WebhookState{}, command, kRoot).then_fails("NOT_FOUND");
}

TEST(RotateWebhookSecret, the_secret_before_signs_for_a_day) {
  change(webhook(), RotateWebhookSecret{kWebhook, "other"}, kAdmin)
      .then({WebhookSecretRotated{kWebhook, kProject, "other", kNow + kSecretOverlapMs}});
  WebhookState state = webhook();
  evolve(state, WebhookSecretRotated{kWebhook, kProject, "other", kNow + 5}, {kAdmin, kNow + 1});
  EXPECT_EQ(state.nonce, "other");
  EXPECT_EQ(state.previous_nonce, "nonce");
  EXPECT_EQ(state.previous_until, kNow + 5);
  EXPECT_EQ(state.version, 2);
}

TEST(Webhooks, are_tested_and_replayed_while_they_are_active) {
  change(webhook(), TestWebhook{kWebhook}, kAdmin).then({WebhookTested{kWebhook, kProject, 5}});
  change(webhook(), ReplayWebhookDelivery{kWebhook, "dlv_70_2_9_0"}, kAdmin)
      .then({WebhookReplayRequested{kWebhook, kProject, "dlv_70_2_9_0"}});
  WebhookState state = webhook();
  state.active = false;
  change(state, TestWebhook{kWebhook}, kAdmin).then_fails("WEBHOOK_INACTIVE");
  change(state, ReplayWebhookDelivery{kWebhook, "x"}, kAdmin).then_fails("WEBHOOK_INACTIVE");
}

TEST(DisableWebhook, happens_once_and_not_to_one_that_changed_since) {
  const DisableWebhook command{kWebhook, WebhookDisabledReason::gone, kNow};
  const WebhookDisabled event{kWebhook, kProject, WebhookDisabledReason::gone, "CI", kAdmin};
  change(webhook(), command, kSystemUser).then({event});
  WebhookState state = webhook();
  evolve(state, event, {kSystemUser, kNow + 7});
  EXPECT_FALSE(state.active);
  EXPECT_EQ(state.disabled_at, kNow + 7);
  EXPECT_EQ(state.disabled_reason, WebhookDisabledReason::gone);
  change(state, command, kSystemUser).then_nothing();
  change(WebhookState{}, command, kSystemUser).then_nothing();

  WebhookUpdated again;
  again.active = true;
  evolve(state, again, {kAdmin, kNow + 8});
  EXPECT_TRUE(state.active);
  EXPECT_EQ(state.disabled_at, std::nullopt);
  EXPECT_EQ(state.disabled_reason, std::nullopt);
  change(state, command, kSystemUser).then_nothing();  // of before
}

TEST(EventPatterns, are_names_families_and_all) {
  EXPECT_TRUE(matches_pattern("*", "task.approved"));
  EXPECT_TRUE(matches_pattern("task.*", "task.approved"));
  EXPECT_TRUE(matches_pattern("task.approved", "task.approved"));
  EXPECT_FALSE(matches_pattern("task.approved", "task.approved_twice"));
  EXPECT_FALSE(matches_pattern("tas*", "task.approved"));
  EXPECT_FALSE(matches_pattern("ta.*", "task.approved"));
  EXPECT_FALSE(matches_pattern(".*", "task.approved"));
  EXPECT_FALSE(matches_pattern("", "task.approved"));
  for (const auto& pattern : event_patterns()) EXPECT_TRUE(is_event_pattern(pattern)) << pattern;
  for (const char* bad : {"", "tasks.*", "task", "task.", "task.nothing", "ping", "a.*", "*.*"})
    EXPECT_FALSE(is_event_pattern(bad)) << bad;
}

TEST(EventPatterns, have_those_that_the_specification_names) {
  EXPECT_THAT(event_patterns(), IsSupersetOf({"task.created", "task.reviewed", "task.approved",
                                              "task.rejected", "task.*", "batch.*", "*"}));
}

TEST(OutboundEvents, tell_of_domain_events_that_there_are) {
  std::set<std::string_view> types;
  for (const auto& entry : codec::event_catalogue()) types.insert(entry.type);
  for (const OutboundEvent& event : outbound_events()) {
    EXPECT_THAT(types, Contains(event.of)) << event.name;
    EXPECT_THAT(event.name, Not(::testing::Eq(kPing)));
    EXPECT_FALSE(event.meaning.empty());
  }
}

TEST(DeliveryIds, read_back_as_they_are_written_and_no_other_way) {
  const DeliveryId event{WebhookId{12}, 3, 4567, 1};
  const DeliveryId ping{WebhookId{12}, 3, 2, kPingPart};
  EXPECT_EQ(to_text(event), "dlv_12_3_4567_1");
  EXPECT_EQ(to_text(ping), "ping_12_3_2");
  EXPECT_EQ(delivery_id_from("dlv_12_3_4567_1"), event);
  EXPECT_EQ(delivery_id_from("ping_12_3_2"), ping);
  for (const char* bad : {"", "dlv", "dlv_12_3_4567", "dlv_12_3_4567_1_", "dlv_012_3_4567_1",
                          "ping_12_3_2_0", "ping_12_3_2_-1", "dlv_12_3_4567_-1", "dlv_12_3_x_1",
                          "dlv_+12_3_4567_1", "dlv_12_3_99999999999999999999_1", "_1_2_3_4"})
    EXPECT_EQ(delivery_id_from(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace annolog::testing::webhook_test
