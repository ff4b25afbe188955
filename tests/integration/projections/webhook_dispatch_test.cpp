// From the log to deliveries: who is told of what, once, whatever ends in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "projections/webhooks/dispatcher.hpp"
#include "projections/webhooks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::webhook_dispatch_test {
namespace {

using eventstore::ShardId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WebhookId kWebhook{5};  // of kProject's shard
constexpr TaskId kTask{101};

WebhookCreated created(WebhookId id = kWebhook, std::optional<ProjectId> project = kProject,
                       std::vector<std::string> events = {"task.approved", "project.*"}) {
  return {id, project, "CI", "http://127.0.0.1:9/", std::move(events), true, "nonce", UserId{7}};
}

TaskApproved approved(TaskId task = kTask) { return {kProject, task, UserId{7}, UserId{8}}; }

class WebhookDispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    world = std::make_unique<World>();
    known = std::make_unique<KnownWebhooks>(*world->pool, world->barrier);
    world->listeners.emplace_back([this](std::span<const AppliedEvent> events) {
      for (const auto& applied : events) {
        if (applied.event != nullptr && KnownWebhooks::is_change(*applied.event))
          known->changed(applied.record->position);
      }
    });
  }
  void TearDown() override {
    dispatcher.reset();
    if (world) world->stop();
  }

  void start() { start(world->barrier); }
  void start(ReadBarrier& barrier) {
    WebhookDispatcherOptions options;
    options.database_url = world->database.url();
    options.look_ms = 20;
    dispatcher = std::make_unique<WebhookDispatcher>(
        WebhookDispatcher::Parts{*world->log, *world->pool, barrier, *known, world->clock,
                                 world->logger, world->metrics},
        options, [] {});
    dispatcher->start();
    for (std::uint16_t i = 0; i < kShards; ++i) dispatcher->own(ShardId{i});
  }
  void append(std::uint16_t shard, const std::vector<Event>& events) {
    world->append(shard, events);
    const auto end = world->log->end(ShardId{shard});
    for (std::size_t i = 0; i < events.size(); ++i) {
      const eventstore::Offset offset{end.value - (events.size() - 1 - i)};
      dispatcher->on_event({ShardId{shard}, offset}, events[i]);
    }
  }
  static bool becomes_true(const std::function<bool()>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return holds();
  }
  std::vector<std::string> made(WebhookId id = kWebhook) const {
    std::vector<std::string> all;
    for (const auto& row : WebhookQueries(*world->pool).deliveries(id, {}, {}, 1'000).items)
      all.insert(all.begin(), to_text(row.id) + " " + row.event);
    return all;
  }
  // Waits until there are so many.
  std::vector<std::string> made(std::size_t count, WebhookId id = kWebhook) const {
    std::vector<std::string> found;
    becomes_true([&] { return (found = made(id)).size() >= count; });
    return found;
  }

  std::unique_ptr<World> world;
  std::unique_ptr<KnownWebhooks> known;
  std::unique_ptr<WebhookDispatcher> dispatcher;
};

TEST_F(WebhookDispatch, AWebhookIsToldOfWhatComesBehindItAndNothingTwice) {
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), approved()});
  append(kProjectShard, {created()});
  append(kProjectShard, {approved(), TaskSubmitted{kProject, kTask, UserId{8}}});
  ASSERT_THAT(made(1), ElementsAre("dlv_5_1_5_0 task.approved"));
  const auto found = WebhookQueries(*world->pool).delivery({kWebhook, 1, 5, 0});
  ASSERT_TRUE(found);
  EXPECT_NE(found->body.find(R"("display_id":"T-2")"), std::string::npos) << found->body;

  dispatcher.reset();  // as if it died, and others went on
  world->append(kProjectShard, {approved(TaskId{100})});
  start();
  EXPECT_THAT(made(2), ElementsAre("dlv_5_1_5_0 task.approved", "dlv_5_1_7_0 task.approved"));
}

// Its commits do not wait for the disk. Nothing happens afterwards.
TEST_F(WebhookDispatch, WhatPostgreSqlLostWithACrashIsMadeAgain) {
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), created()});
  append(kProjectShard, {approved()});
  const auto before = made(1);
  ASSERT_EQ(before.size(), 1U);
  connect_to(world->database.url())
      ->run(
          "DELETE FROM annolog.webhook_deliveries;"
          "UPDATE annolog.webhook_positions SET position = 3 WHERE shard = " +
          std::to_string(kProjectShard) +
          ";SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          "WHERE application_name = 'annolog-webhooks' AND datname = current_database()");
  EXPECT_EQ(made(1), before);
}

TEST_F(WebhookDispatch, AGlobalOneIsToldOfWhatEveryShardHolds) {
  world->start();
  start();
  const WebhookId global{4};
  append(0, {created(global, std::nullopt)});
  append(kProjectShard, {project_created()});
  append(3, {project_created(ProjectId{3})});
  const auto found = made(2, global);
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("dlv_4_1_1_0 project.created",
                                                     "dlv_4_3_1_0 project.created"));
}

TEST_F(WebhookDispatch, AShardThatIsNotShownHoldsUpNoOther) {
  constexpr ShardId kBehind{3};
  ReadBarrier barrier(kShards);
  barrier.regain();
  world->listeners.emplace_back([&](std::span<const AppliedEvent> events) {
    for (const auto& applied : events) {
      const auto& at = applied.record->position;
      if (at.shard != kBehind) barrier.set(at.shard, at.offset);
    }
  });
  world->start();
  start(barrier);
  const WebhookId global{4};
  append(0, {created(global, std::nullopt)});
  append(kBehind.value, {project_created(ProjectId{3})});
  append(kProjectShard, {project_created()});
  EXPECT_THAT(made(1, global), ElementsAre("dlv_4_1_1_0 project.created"));
  append(kProjectShard, {tasks_created(100, 2), approved()});
  EXPECT_THAT(made(2, global),
              ElementsAre("dlv_4_1_1_0 project.created", "dlv_4_1_3_0 task.approved"));
  barrier.set(kBehind, eventstore::Offset{1});
  EXPECT_EQ(made(3, global).size(), 3U);
  dispatcher.reset();  // before the barrier, as the projector
  world->stop();
}

TEST_F(WebhookDispatch, WhatWaitsEndsWithTheWebhookAndWithTheProject) {
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), created()});
  append(kProjectShard, {approved()});
  ASSERT_EQ(made(1).size(), 1U);
  append(kProjectShard, {WebhookDeleted{kWebhook, kProject}});
  const auto waiting = [&] {
    return ask(world->database.url(),
               "SELECT count(*) FROM annolog.webhook_deliveries WHERE status = 'waiting'");
  };
  EXPECT_TRUE(becomes_true([&] { return waiting() == "0"; }));
  const WebhookId later{kWebhook.value + 1};
  append(kProjectShard, {created(later), approved()});
  ASSERT_EQ(made(1, later).size(), 1U);
  append(kProjectShard, {ProjectDeleted{kProject}});
  EXPECT_TRUE(becomes_true([&] { return waiting() == "0"; }));
}

TEST_F(WebhookDispatch, WhatItHasNotLookedAtIsCounted) {
  const auto lag = [&] {
    const std::string text = world->metrics.expose();
    const std::string name = "\nwebhook_dispatch_lag_records ";
    return text.substr(text.find(name) + name.size(), 2);
  };
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), created()});
  EXPECT_TRUE(becomes_true([&] { return lag() == "3\n"; })) << world->metrics.expose();
  world->start();
  EXPECT_TRUE(becomes_true([&] { return lag() == "0\n"; })) << world->metrics.expose();
}

TEST_F(WebhookDispatch, WhatHappenedWhileItWasInactiveIsNeverTold) {
  const auto update = [](bool active) {
    WebhookUpdated event;
    event.webhook_id = kWebhook;
    event.active = active;
    return event;
  };
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), created()});
  append(kProjectShard, {update(false)});
  dispatcher.reset();  // it looks again when all has happened
  world->append(kProjectShard, {approved()});
  world->append(kProjectShard, {update(true)});
  world->append(kProjectShard, {approved(TaskId{100})});
  start();
  EXPECT_THAT(made(1), ElementsAre("dlv_5_1_7_0 task.approved"));
}

TEST_F(WebhookDispatch, APingGoesToWhoAskedForIt) {
  world->start();
  start();
  append(kProjectShard, {project_created(), created(), created(WebhookId{9})});
  append(kProjectShard, {WebhookTested{kWebhook, kProject, 1}});
  EXPECT_THAT(made(1), ElementsAre("ping_5_1_1 ping"));
  EXPECT_THAT(made(WebhookId{9}), IsEmpty());
}

TEST_F(WebhookDispatch, WithoutWebhooksNothingIsMadeAndThePositionsFollow) {
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), approved()});
  dispatcher.reset();  // a clean end notes where it stands
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_deliveries"), "0");
}

// What webhooks wait for is no read model: a rebuild leaves it, and knows them all the same.
TEST_F(WebhookDispatch, ARebuildLeavesDeliveriesAlone) {
  world->start();
  start();
  append(kProjectShard, {project_created(), tasks_created(100, 2), created()});
  append(kProjectShard,
         {WebhookSecretRotated{kWebhook, kProject, "other", {kStartMs + 9}}, approved()});
  ASSERT_EQ(made(1).size(), 1U);
  dispatcher.reset();
  world->stop();
  const std::string live = world->dump();
  world->rebuild();
  EXPECT_EQ(world->dump(), live);
  EXPECT_EQ(made().size(), 1U);
  const auto targets = WebhookQueries(*world->pool).targets();
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].nonce, "other");
  EXPECT_EQ(targets[0].previous_nonce, "nonce");
  EXPECT_EQ(targets[0].log_offset, 3);
}

}  // namespace
}  // namespace annolog::projections::testing::webhook_dispatch_test
