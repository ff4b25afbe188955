// Deliveries to webhooks in PostgreSQL: made once, sent in the order of their lanes, under leases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "projections/webhooks/delivery_store.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::webhook_deliveries_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr WebhookId kWebhook{5};
constexpr ShardId kShard{1};
constexpr Timestamp kNow{kStartMs};
constexpr std::int64_t kLeaseMs = 30'000;

NewDelivery made(std::int64_t position, std::string lane, WebhookId webhook = kWebhook,
                 std::int64_t part = 0) {
  return {{webhook, kShard.value, position, part},
          ProjectId{1},
          "task.approved",
          std::move(lane),
          R"({"n":)" + std::to_string(position) + "}"};
}

AttemptEnd taken(Timestamp at = kNow) {
  AttemptEnd end;
  end.at = at;
  end.status_code = 200;
  return end;
}

AttemptEnd refused(std::optional<Timestamp> retry_at, Timestamp at = kNow) {
  AttemptEnd end;
  end.status = DeliveryStatus::failed;
  end.at = at;
  end.retry_at = retry_at;
  end.status_code = 500;
  end.error = "status 500";
  end.response = "no";
  return end;
}

class WebhookDeliveries : public ::testing::Test {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    world = std::make_unique<World>();
    store = another();
    const std::vector<Offset> ends(kShards);
    store->begin("log", ends, false);
  }

  std::unique_ptr<DeliveryStore> another() const {
    return std::make_unique<DeliveryStore>(ConnectOptions{.database_url = world->database.url(),
                                                          .application_name = "annolog-test",
                                                          .search_path = "pg_catalog"});
  }
  // Moves the shard's position by one.
  bool dispatch(std::vector<NewDelivery> deliveries, Timestamp now = kNow) {
    DispatchBatch batch;
    batch.made = std::move(deliveries);
    return dispatch(batch, now);
  }
  bool dispatch(const DispatchBatch& batch, Timestamp now = kNow) {
    const Offset from = reached;
    reached = reached.next();
    return store->dispatch(kShard, from, reached, batch, now);
  }
  std::vector<ClaimedDelivery> claim(Timestamp now = kNow, std::int64_t each = 100,
                                     std::int64_t most = 100) const {
    const ClaimLimit limit{kWebhook, each};
    return store->claim({&limit, 1}, most, now, now + kLeaseMs);
  }
  static std::vector<std::int64_t> positions(const std::vector<ClaimedDelivery>& claimed) {
    std::vector<std::int64_t> all;
    for (const auto& one : claimed) all.push_back(one.id.position);
    return all;
  }
  DeliveryDetail detail(std::int64_t position) const {
    return WebhookQueries(*world->pool).delivery({kWebhook, kShard.value, position, 0}).value();
  }

  std::unique_ptr<World> world;
  std::unique_ptr<DeliveryStore> store;
  Offset reached;
};

TEST_F(WebhookDeliveries, AreMadeOnceTogetherWithThePosition) {
  EXPECT_TRUE(dispatch({made(1, "task/1")}));
  DispatchBatch again;
  again.made = {made(1, "task/1"), made(2, "task/1")};
  EXPECT_FALSE(store->dispatch(kShard, Offset{0}, Offset{2}, again, kNow)) << "moved by another";
  EXPECT_EQ(store->position(kShard), Offset{1});
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_deliveries"), "1");
}

TEST_F(WebhookDeliveries, OfALaneOneIsDueAndItsEndReleasesTheNext) {
  dispatch({made(1, "task/1"), made(2, "task/1"), made(3, "task/2")});
  dispatch({made(4, "task/1"), made(5, "")});
  auto first = claim();
  EXPECT_THAT(positions(first), UnorderedElementsAre(1, 3, 5));
  EXPECT_THAT(claim(), IsEmpty()) << "leased, or behind those";
  for (const auto& one : first)
    if (one.id.position == 1) store->finish(one, refused(kNow + 5'000));
  EXPECT_THAT(claim(kNow + 4'999), IsEmpty()) << "nobody passes who waits";
  auto second = claim(kNow + 5'000);
  ASSERT_THAT(positions(second), ElementsAre(1));
  EXPECT_EQ(second[0].tries, 1);
  store->finish(second[0], taken());
  auto third = claim(kNow + 5'000);
  ASSERT_THAT(positions(third), ElementsAre(2));
  store->finish(third[0], refused(std::nullopt));  // given up
  EXPECT_THAT(positions(claim(kNow + 5'000)), ElementsAre(4));
}

TEST_F(WebhookDeliveries, OfAnotherWebhookHaveLanesOfTheirOwn) {
  dispatch({made(1, "task/1"), made(1, "task/1", WebhookId{9})});
  const ClaimLimit limits[] = {{kWebhook, 10}, {WebhookId{9}, 10}};
  EXPECT_EQ(store->claim(limits, 10, kNow, kNow + kLeaseMs).size(), 2U);
}

TEST_F(WebhookDeliveries, AreClaimedWithinTheLimits) {
  std::vector<NewDelivery> many;
  for (std::int64_t i = 1; i <= 20; ++i) many.push_back(made(i, "task/" + std::to_string(i)));
  dispatch(many);
  EXPECT_EQ(claim(kNow, 8).size(), 8U);
  EXPECT_EQ(claim(kNow, 8, 3).size(), 3U);
  EXPECT_EQ(claim(kNow, 100).size(), 9U);
}

TEST_F(WebhookDeliveries, WhoseSenderDiedAreDueWhenTheLeaseEnds) {
  dispatch({made(1, "task/1")});
  const auto lost = claim();
  EXPECT_THAT(claim(kNow + (kLeaseMs - 1)), IsEmpty());
  const auto taken_over = claim(kNow + kLeaseMs);
  ASSERT_THAT(positions(taken_over), ElementsAre(1));
  EXPECT_EQ(to_text(taken_over[0].id), to_text(lost[0].id));
  EXPECT_EQ(taken_over[0].body, lost[0].body);
  store->finish(lost[0], taken());  // it was only slow: somebody else's by now
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::waiting);
  store->finish(taken_over[0], taken(kNow + kLeaseMs + 5));
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::delivered);
  EXPECT_EQ(detail(1).row.attempts, 2) << "both were sent";
}

TEST_F(WebhookDeliveries, ThatAreReplayedUnderWayGoAgainAndEachAttemptIsTold) {
  dispatch({made(1, "task/1"), made(2, "task/1")});
  const auto under_way = claim();
  DispatchBatch again;
  again.replayed = {{kWebhook, kShard.value, 1, 0}};
  dispatch(again);
  store->finish(under_way[0], taken());
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::waiting);
  EXPECT_EQ(detail(1).row.attempts, 1);
  const auto second = claim();
  ASSERT_THAT(positions(second), ElementsAre(1)) << "the other still waits for it";
  store->finish(second[0], taken());
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::delivered);
  EXPECT_EQ(detail(1).row.attempts, 2);
  EXPECT_THAT(positions(claim()), ElementsAre(2));
}

TEST_F(WebhookDeliveries, ThatAreGivenBackAreDueAtOnce) {
  dispatch({made(1, "task/1")});
  const auto claimed = claim();
  store->give_back(claimed[0], kNow);
  EXPECT_THAT(positions(claim()), ElementsAre(1));
}

TEST_F(WebhookDeliveries, TellTheirAttempts) {
  dispatch({made(1, "task/1")});
  store->finish(claim()[0], refused(kNow + 10, kNow + 3));
  store->finish(claim(kNow + 10)[0], taken(kNow + 12));
  const DeliveryDetail told = detail(1);
  ASSERT_EQ(told.attempts.size(), 2U);
  EXPECT_EQ(told.attempts[0].number, 1);
  EXPECT_EQ(told.attempts[0].at, kNow + 3);
  EXPECT_EQ(told.attempts[0].status_code, 500);
  EXPECT_EQ(told.attempts[0].error, "status 500");
  EXPECT_EQ(told.attempts[0].response, "no");
  EXPECT_EQ(told.attempts[1].error, std::nullopt);
  EXPECT_EQ(told.row.done_at, kNow + 12);
  EXPECT_EQ(told.body, R"({"n":1})");
}

TEST_F(WebhookDeliveries, RememberSinceWhenNothingWasTaken) {
  dispatch({made(1, "task/1"), made(2, "task/2"), made(3, "task/3")});
  const auto claimed = claim();
  EXPECT_EQ(store->failing_since(kWebhook), std::nullopt);
  store->finish(claimed[0], refused(std::nullopt, kNow + 1));
  store->finish(claimed[1], refused(std::nullopt, kNow + 2));
  EXPECT_EQ(store->failing_since(kWebhook), kNow + 1);
  store->finish(claimed[2], taken(kNow + 3));
  EXPECT_EQ(store->failing_since(kWebhook), std::nullopt);
}

TEST_F(WebhookDeliveries, OfWhoIsGoneAreCancelled) {
  dispatch({made(1, "task/1"), made(2, "task/1"), made(3, "task/3", WebhookId{9})});
  const auto under_way = claim();
  DispatchBatch over;
  over.turned = {{kWebhook, 100}};
  dispatch(over);
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::cancelled);
  EXPECT_EQ(detail(2).row.status, DeliveryStatus::cancelled);
  store->finish(under_way[0], taken());
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::cancelled);
  const ClaimLimit other{WebhookId{9}, 10};
  const auto left = store->claim({&other, 1}, 10, kNow, kNow + kLeaseMs);
  EXPECT_EQ(left.size(), 1U);
  DispatchBatch project_over;
  project_over.ended_projects = {ProjectId{1}};
  dispatch(project_over);
  EXPECT_EQ(ask(world->database.url(),
                "SELECT count(*) FROM annolog.webhook_deliveries WHERE status = 'waiting'"),
            "0");
}

// Another node knows already that the webhook is active again.
TEST_F(WebhookDeliveries, OfALaterTimeOutliveTheEndOfAnEarlierOne) {
  auto later = made(2, "task/1");
  later.activation = 200;
  dispatch({made(1, "task/1"), std::move(later)});
  DispatchBatch over;
  over.turned = {{kWebhook, 100}};
  dispatch(over);
  EXPECT_EQ(detail(1).row.status, DeliveryStatus::cancelled);
  EXPECT_THAT(positions(claim()), ElementsAre(2)) << "it waits for nobody";
  over.turned = {{kWebhook, 200}};  // the beginning of its own time
  dispatch(over);
  EXPECT_EQ(detail(2).row.status, DeliveryStatus::waiting);
}

TEST_F(WebhookDeliveries, AreReplayedOutOfTheOrderAndUnderTheirId) {
  dispatch({made(1, "task/1"), made(2, "task/1")});
  store->finish(claim()[0], taken());
  DispatchBatch again;
  again.replayed = {{kWebhook, kShard.value, 1, 0}, {kWebhook, kShard.value, 99, 0}};
  dispatch(again);
  auto due = claim();
  EXPECT_THAT(positions(due), UnorderedElementsAre(1, 2));
  for (const auto& one : due) {
    if (one.id.position == 1) {
      EXPECT_EQ(one.tries, 0);
      store->finish(one, taken());
    }
  }
  EXPECT_EQ(detail(1).row.attempts, 2);
  EXPECT_EQ(detail(1).attempts.size(), 2U);
}

TEST_F(WebhookDeliveries, ThatAreDoneGoAfterAWhileInSteps) {
  std::vector<NewDelivery> many;
  for (std::int64_t i = 1; i <= 5; ++i) many.push_back(made(i, ""));
  dispatch(many);
  const auto claimed = claim();
  for (std::size_t i = 0; i < 4; ++i) store->finish(claimed[i], taken(kNow + 10));
  EXPECT_EQ(store->remove_done(kNow + 10, 3), 0);
  EXPECT_EQ(store->remove_done(kNow + 11, 3), 3);
  EXPECT_EQ(store->remove_done(kNow + 11, 3), 1);
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_deliveries"), "1");
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_attempts"), "0");
}

TEST_F(WebhookDeliveries, AreCountedWhileTheyWait) {
  dispatch({made(1, "task/1"), made(2, "task/1"), made(3, "")}, kNow + 7);
  const WebhookId active[] = {kWebhook};
  const auto waiting = store->waiting(active);
  EXPECT_EQ(waiting.deliveries, 3);
  EXPECT_EQ(waiting.oldest_due, kNow + 7);
}

TEST_F(WebhookDeliveries, OfAnotherLogAreForgottenAndThoseBehindItsEndToo) {
  dispatch({made(1, "task/1")});
  dispatch({made(2, "task/2")});
  std::vector<Offset> ends(kShards, Offset{1});
  auto positions = store->begin("log", ends, true);
  EXPECT_EQ(positions[kShard.value], Offset{2}) << "the end may be old news";
  positions = store->begin("log", ends, false);
  EXPECT_EQ(positions[kShard.value], Offset{1});
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_deliveries"), "1");
  positions = store->begin("another log", ends, false);
  EXPECT_EQ(positions[0], Offset{1});
  EXPECT_EQ(ask(world->database.url(), "SELECT count(*) FROM annolog.webhook_deliveries"), "0");
}

// Some make deliveries of a lane while others end those before them: none is left behind.
TEST_F(WebhookDeliveries, NoneIsLeftBehindWhenManyMakeAndEndThemAtOnce) {
  constexpr std::int64_t kPerLane = 60;
  std::atomic<bool> over{false};
  std::vector<std::vector<std::int64_t>> sent(2);
  std::mutex mutex;
  const auto send = [&] {
    const auto own = another();
    const ClaimLimit limit{kWebhook, 4};
    while (!over) {
      for (const auto& one : own->claim({&limit, 1}, 4, kNow, kNow + kLeaseMs)) {
        {
          const std::lock_guard guard(mutex);
          sent[static_cast<std::size_t>(one.id.part)].push_back(one.id.position);
        }
        own->finish(one, taken());
      }
    }
  };
  {
    std::jthread first(send), second(send);
    for (std::int64_t i = 1; i <= kPerLane; ++i)
      dispatch({made(i, "task/0", kWebhook, 0), made(i, "task/1", kWebhook, 1)});
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto done = [&] {
      const std::lock_guard guard(mutex);
      return sent[0].size() == kPerLane && sent[1].size() == kPerLane;
    };
    while (!done() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    over = true;
  }
  for (const auto& lane : sent) {
    EXPECT_EQ(lane.size(), static_cast<std::size_t>(kPerLane));
    EXPECT_TRUE(std::ranges::is_sorted(lane)) << "each once, in its order";
  }
}

}  // namespace
}  // namespace annolog::projections::testing::webhook_deliveries_test
