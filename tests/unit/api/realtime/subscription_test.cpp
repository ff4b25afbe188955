// Channels on real sockets: what is subscribed, what comes, and in which order.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "tests/unit/api/realtime/stage.hpp"

namespace annolog::api::realtime::subscription_test {
namespace {

using nlohmann::json;

// Ids of this shard: its tasks are 1, 5, 9 ... of four shards.
constexpr std::int64_t kTask = 5;
const std::string kChannel = "task:5:lock";

std::string code_of(WebSocketClient& client, const std::string& wish) {
  client.say(wish);
  return client.message().value("code", "no error");
}

TEST(Subscriptions, bring_frames_with_their_positions) {
  Stage stage;
  auto client = stage.listening(kChannel);
  stage.happens(locked(kTask));
  const json frame = client->message();
  EXPECT_EQ(frame["channel"], kChannel);
  EXPECT_EQ(frame["type"], "lock");
  EXPECT_EQ(frame["data"]["state"], "locked");
  EXPECT_EQ(frame["position"], "p1.1-1");
}

TEST(Subscriptions, bring_a_frame_once_the_read_models_show_its_record) {
  Stage stage;
  auto client = stage.listening(kChannel);
  client->say(subscribe_text("task:2:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  const auto at = stage.commits(locked(kTask), 1);
  stage.happens(locked(2), 2);
  EXPECT_EQ(client->message()["channel"], "task:2:lock") << "the earlier one is not shown yet";
  stage.show(at);
  EXPECT_EQ(client->message()["channel"], kChannel);
}

TEST(Subscriptions, bring_nothing_of_other_channels) {
  Stage stage;
  auto client = stage.listening(kChannel);
  stage.happens(locked(9));
  stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-2");
}

TEST(Subscriptions, end_with_unsubscribe) {
  Stage stage;
  auto client = stage.listening(kChannel);
  client->say(R"({"type":"unsubscribe","channel":"task:5:lock"})");
  EXPECT_EQ(client->message(), (json{{"type", "unsubscribed"}, {"channel", kChannel}}));
  stage.happens(locked(kTask));
  client->say(subscribe_text("task:9:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  EXPECT_FALSE(stage.interest.wants({Channel::Kind::task_lock, kTask}));
}

TEST(Subscriptions, that_are_refused_leave_the_socket_open) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  EXPECT_EQ(code_of(*client, subscribe_text("nothing")), "UNKNOWN_CHANNEL");
  EXPECT_EQ(code_of(*client, subscribe_text("project:404:annotation")), "NOT_FOUND");
  EXPECT_EQ(code_of(*client, subscribe_text("global:prediction-jobs")), "FORBIDDEN");
  EXPECT_EQ(code_of(*client, subscribe_text("user:8:notify")), "FORBIDDEN");
  EXPECT_EQ(code_of(*client, subscribe_text(kChannel, "yesterday")), "INVALID_POSITION");
  EXPECT_EQ(code_of(*client, subscribe_text(kChannel, "p1.2-1")), "INVALID_POSITION")
      << "of another shard";
  EXPECT_EQ(code_of(*client, "{"), "MALFORMED_JSON");
  EXPECT_EQ(code_of(*client, "{}"), "INVALID_MESSAGE");
  client->say(subscribe_text(kChannel));
  EXPECT_EQ(client->message()["type"], "subscribed");
}

TEST(Subscriptions, are_limited_in_number) {
  RealtimeOptions options;
  options.channels = 2;
  Stage stage(options);
  auto client = stage.listening("task:1:lock");
  client->say(subscribe_text("task:2:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  EXPECT_EQ(code_of(*client, subscribe_text("task:3:lock")), "TOO_MANY_CHANNELS");
  client->say(subscribe_text("task:2:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed") << "it is one of the two";
}

TEST(Replays, send_what_was_missed_and_go_on) {
  Stage stage;
  for (int i = 0; i < 3; ++i) stage.happens(locked(kTask));
  auto client = stage.listening(kChannel, "p1.1-1");
  EXPECT_EQ(client->message()["position"], "p1.1-2");
  EXPECT_EQ(client->message()["position"], "p1.1-3");
  stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-4");
}

TEST(Replays, take_the_place_of_a_subscription_to_the_same_channel) {
  Stage stage;
  auto client = stage.listening(kChannel);
  stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-1");
  client->say(subscribe_text(kChannel, "p1.1-0"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  EXPECT_EQ(client->message()["position"], "p1.1-1");
}

// Frames come from two threads, a replay among live ones, and none is lost, doubled or out of
// place.
TEST(Replays, while_much_happens_lose_nothing_and_keep_the_order) {
  constexpr int kEvents = 3000;
  Stage stage;
  const std::jthread writer([&] {
    for (int i = 0; i < kEvents; ++i) stage.happens(locked(kTask));
  });
  std::vector<std::unique_ptr<WebSocketClient>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(stage.listening(kChannel, "p1.1-0"));
  for (auto& client : clients) {
    for (int i = 1; i <= kEvents; ++i)
      ASSERT_EQ(client->message()["position"], "p1.1-" + std::to_string(i));
  }
}

TEST(Replays, from_too_far_are_refused) {
  RealtimeOptions options;
  options.replay_records = 2;
  Stage stage(options);
  for (int i = 0; i < 3; ++i) stage.happens(locked(kTask));
  // Nobody listened, so the feed may still be on its way.
  auto other = stage.listening("task:9:lock");
  stage.happens(locked(9));
  other->message();
  auto client = stage.open("/ws?token=u7");
  EXPECT_EQ(code_of(*client, subscribe_text(kChannel, "p1.1-0")), "REPLAY_TOO_FAR");
  EXPECT_EQ(code_of(*client, subscribe_text("task:404:lock")), "NOT_FOUND") << "still open";
}

// A node that is behind the one that gave the position.
TEST(Replays, from_a_place_that_is_yet_to_come_begin_there) {
  Stage stage;
  auto client = stage.listening(kChannel, "p1.1-2");
  for (int i = 0; i < 3; ++i) stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-3");
}

TEST(Replays, from_a_place_that_never_comes_are_given_up) {
  RealtimeOptions options;
  options.awaited_ms = 100;
  Stage stage(options);
  auto client = stage.listening(kChannel, "p1.1-2");
  const json end = client->message();
  EXPECT_EQ(end["type"], "error");
  EXPECT_EQ(end["channel"], kChannel);
  EXPECT_EQ(end["code"], "READ_MODEL_BEHIND");
  client->say(subscribe_text(kChannel));
  EXPECT_EQ(client->message()["type"], "subscribed");
  stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-1");
}

TEST(Replays, go_on_for_long_from_a_place_that_came) {
  RealtimeOptions options;
  options.awaited_ms = 100;
  options.ping_ms = 20;
  Stage stage(options);
  auto client = stage.listening(kChannel, "p1.1-1");
  stage.happens(locked(kTask));
  for (int pings = 0; pings < 10; ++pings) ASSERT_EQ(client->next().payload, R"({"type":"ping"})");
  stage.happens(locked(kTask));
  EXPECT_EQ(client->message()["position"], "p1.1-2");
}

TEST(Notifications, come_bare_on_their_own_socket_and_wrapped_on_the_other) {
  Stage stage;
  auto bare = stage.open("/ws/notifications?token=u7");
  while (!stage.interest.wants({Channel::Kind::notify, 7})) std::this_thread::yield();
  auto wrapped = stage.listening("user:7:notify");
  const auto at = commands::Position{commands::ShardId{1}, commands::Offset{1}};
  stage.notifications.put({UserId{7}, "task.rejected", R"({"id":1,"type":"task.rejected"})", at});
  stage.happens(TaskRejected{});
  const json frame = wrapped->message();
  EXPECT_EQ(frame["type"], "task.rejected");
  EXPECT_EQ(frame["data"], (json{{"id", 1}, {"type", "task.rejected"}}));
  EXPECT_EQ(frame["position"], "p1.0-0.1-1");
  EXPECT_EQ(bare->message(), frame["data"]);
}

TEST(Subscriptions, that_stand_still_show_in_the_lag) {
  Stage stage;
  const auto tells = [&](int records) {
    const std::string line = "annolog_realtime_lag_records " + std::to_string(records) + "\n";
    return stage.metrics.expose().find(line) != std::string::npos;
  };
  auto client = stage.listening("task:1:lock");
  stage.happens(locked(1));
  EXPECT_EQ(client->message()["type"], "lock");
  EXPECT_TRUE(tells(0));
  stage.barrier.lose();
  stage.happens(locked(1));
  stage.happens(locked(2));
  EXPECT_TRUE(tells(2));
  stage.barrier.regain();
  EXPECT_EQ(client->message()["type"], "lock");
  EXPECT_TRUE(tells(0));
}

// What has happened in shards 1 and 2 lies behind the feed afterwards.
void pass_the_feed(Stage& stage) {
  auto other = stage.listening("task:1:lock");
  other->say(subscribe_text("task:2:lock"));
  other->message();
  stage.happens(locked(1), 1);
  stage.happens(locked(2), 2);
  other->message();
  other->message();
}

// More than the queue of a socket holds: who takes what comes gets all of it.
TEST(Notifications, that_were_missed_come_as_fast_as_they_are_taken) {
  constexpr std::size_t kMissed = 900;
  Stage stage;
  const std::string reason(2'500, 'r');
  ASSERT_GT(kMissed * reason.size(), stage.options.queue_bytes);
  stage.happens(locked(1), 1);
  for (std::size_t i = 0; i < kMissed; ++i) {
    const auto at = stage.happens(TaskRejected{}, static_cast<std::uint16_t>(1 + i % 2));
    const std::string id = std::to_string(i);
    stage.notifications.put(
        {UserId{7}, "task.rejected", R"({"id":)" + id + R"(,"reason":")" + reason + "\"}", at});
  }
  pass_the_feed(stage);
  auto client = stage.listening("user:7:notify", "p1.1-1");
  std::set<std::int64_t> ids;
  while (ids.size() < kMissed) {
    const json frame = client->message();
    ASSERT_TRUE(frame.contains("data")) << "after " << ids.size() << ": " << frame;
    ids.insert(frame["data"]["id"].get<std::int64_t>());
  }
}

TEST(Notifications, that_were_missed_come_again_from_all_shards) {
  Stage stage;
  for (std::uint16_t shard : {1, 2}) {
    const auto at = stage.happens(TaskRejected{}, shard);
    const std::string id = std::to_string(shard);
    stage.notifications.put({UserId{7}, "task.rejected", R"({"id":)" + id + "}", at});
  }
  pass_the_feed(stage);
  auto client = stage.listening("user:7:notify", "p1.1-1");
  const json frame = client->message();
  EXPECT_EQ(frame["data"]["id"], 2) << "of a shard that the position does not name: all";
  EXPECT_EQ(frame["position"], "p1.1-1.2-1");
}

}  // namespace
}  // namespace annolog::api::realtime::subscription_test
