// Webhooks through the runtime: whose shard decides, what a retry is told, what ends with a
// project.
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::webhooks_test {
namespace {

using commands::WebhookPinged;

struct Scene {
  Scene() {
    owner = service.add_user(Role::project_admin);
    root = service.add_user(Role::super_admin);
    project = service.add_project("Streets", owner);
  }
  CreateWebhook wish(ProjectId of, const std::string& nonce = "nonce") const {
    return {of, "CI", "https://example.org/", {"task.*"}, true, nonce};
  }
  WebhookState made(ProjectId of, Who by) { return service.must<WebhookState>(wish(of), by); }
  std::string code(commands::Command command, Who by) {
    return Service::code(service.call(std::move(command), by));
  }

  Service service;
  Who owner, root;
  ProjectId project;
};

TEST(Webhooks, live_with_their_project_or_in_the_directory) {
  Scene scene;
  const WebhookState of_project = scene.made(scene.project, scene.owner);
  const WebhookState of_all = scene.made(ProjectId{}, scene.root);
  EXPECT_EQ(commands::shard_of(of_project.id.value, 4), commands::shard_of(scene.project.value, 4));
  EXPECT_EQ(commands::shard_of(of_all.id.value, 4), commands::kDirectory);
  EXPECT_EQ(of_project.project_id, scene.project);
  EXPECT_EQ(of_all.project_id, std::nullopt);
  EXPECT_EQ(scene.code(scene.wish(ProjectId{}), scene.owner), "FORBIDDEN");
}

// A node may not have heard of it yet: the directory knows the role that the caller has now.
TEST(Webhooks, a_global_one_is_judged_by_the_role_of_now) {
  Scene scene;
  const Who pretender{scene.owner.id, Role::super_admin};
  EXPECT_EQ(scene.code(scene.wish(ProjectId{}), pretender), "FORBIDDEN");
}

TEST(Webhooks, a_retry_is_told_of_the_same_one) {
  Scene scene;
  const auto call = [&] {
    return Service::take<WebhookState>(
        scene.service.call(scene.wish(scene.project), scene.owner, "key", "hash"));
  };
  const WebhookState first = call();
  EXPECT_EQ(call(), first);
  scene.service.must<WebhookState>(RotateWebhookSecret{first.id, "other"}, scene.owner);
  EXPECT_EQ(call().nonce, "other") << "so that the edge does not tell a secret that is none";
}

TEST(Webhooks, pings_are_numbered_in_their_shard) {
  Scene scene;
  const WebhookState one = scene.made(scene.project, scene.owner);
  const WebhookState two = scene.made(scene.project, scene.owner);
  const auto ping = [&](WebhookId id) {
    return scene.service.must<WebhookPinged>(TestWebhook{id}, scene.owner).number;
  };
  EXPECT_EQ(ping(one.id), 1);
  EXPECT_EQ(ping(two.id), 2);
  EXPECT_EQ(ping(one.id), 3);
}

TEST(Webhooks, are_disabled_by_the_service_once) {
  Scene scene;
  const WebhookState hook = scene.made(scene.project, scene.owner);
  const DisableWebhook command{hook.id, WebhookDisabledReason::failing, hook.updated_at};
  const auto disabled = scene.service.must<WebhookState>(command, kSystem);
  EXPECT_FALSE(disabled.active);
  EXPECT_EQ(disabled.disabled_reason, WebhookDisabledReason::failing);
  scene.service.must<WebhookState>(command, kSystem);
  EXPECT_EQ(scene.service.count_records("webhook.disabled"), 1U);
}

TEST(Webhooks, end_with_their_project) {
  Scene scene;
  const WebhookState hook = scene.made(scene.project, scene.owner);
  scene.service.must<std::monostate>(DeleteProject{scene.project, std::nullopt}, scene.root);
  EXPECT_EQ(scene.code(TestWebhook{hook.id}, scene.root), "NOT_FOUND");
}

TEST(Webhooks, that_are_deleted_are_gone) {
  Scene scene;
  const WebhookState hook = scene.made(scene.project, scene.owner);
  scene.service.must<std::monostate>(DeleteWebhook{hook.id, std::nullopt}, scene.owner);
  EXPECT_EQ(scene.code(DeleteWebhook{hook.id, std::nullopt}, scene.owner), "NOT_FOUND");
}

}  // namespace
}  // namespace annolog::testing::webhooks_test
