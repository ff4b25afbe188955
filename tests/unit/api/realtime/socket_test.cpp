// The life of sockets: who gets one, what is told of time, what closes them.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/api/realtime/stage.hpp"

namespace annolog::api::realtime::socket_test {
namespace {

using nlohmann::json;

struct Refused {
  const char* target;
  int code;
};

TEST(Sockets, without_a_valid_token_are_closed_with_the_code_of_their_kind) {
  Stage stage;
  const Refused rows[] = {
      {"/ws", 4001},
      {"/ws?token=", 4001},
      {"/ws?token=bad", 4003},
      {"/ws/prediction-jobs", 4001},
      {"/ws/prediction-jobs?token=bad", 4003},
      {"/ws/prediction-jobs?token=u7", 1008},
      {"/ws/notifications", 1008},
      {"/ws/notifications?token=bad", 1008},
      {"/ws/projects/1/preannotate", 1008},
      {"/ws/projects/404/preannotate?token=u7", 1008},
      {"/ws/video-tracker-jobs/1?token=bad", 1008},
      {"/ws/video-tracker-jobs/404?token=u7", 1008},
  };
  for (const auto& [target, code] : rows)
    EXPECT_EQ(stage.open(target)->close_code(), code) << target;
}

TEST(Sockets, of_prediction_jobs_are_subscribed_at_once) {
  Stage stage;
  auto client = stage.open("/ws/prediction-jobs?token=u1");
  const json said = client->message();
  EXPECT_EQ(said["type"], "subscribed");
  EXPECT_EQ(said["channel"], "global:prediction-jobs");
}

TEST(Sockets, of_one_user_are_limited) {
  RealtimeOptions options;
  options.sockets_per_user = 1;
  Stage stage(options);
  auto first = stage.listening("task:1:lock");
  EXPECT_EQ(stage.open("/ws?token=u7")->close_code(), 4029);
  auto other = stage.open("/ws?token=u8");
  other->say(subscribe_text("task:1:lock"));
  EXPECT_EQ(other->message()["type"], "subscribed");
}

TEST(Sockets, are_limited_in_all_and_give_their_place_back) {
  RealtimeOptions options;
  options.sockets = 1;
  Stage stage(options);
  auto first = stage.listening("task:1:lock");
  EXPECT_EQ(stage.open("/ws?token=u8")->close_code(), 1013);
  first.reset();
  while (stage.open_sockets() > 0) std::this_thread::yield();
  stage.listening("task:1:lock");
}

TEST(Sockets, ping_and_close_when_nothing_is_heard) {
  RealtimeOptions options;
  options.ping_ms = 20;
  options.idle_ms = 200;
  Stage stage(options);
  auto client = stage.open("/ws?token=u7");
  EXPECT_EQ(client->next().payload, R"({"type":"ping"})");
  EXPECT_EQ(client->close_code(), 1001);
}

TEST(Sockets, stay_open_as_long_as_something_is_heard) {
  RealtimeOptions options;
  options.ping_ms = 20;
  options.idle_ms = 400;
  Stage stage(options);
  auto client = stage.open("/ws?token=u7");
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(client->next().opcode, WebSocketClient::kText);
    client->say(R"({"type":"pong"})");
  }
}

// They expect nothing from the client but answers to ping frames.
TEST(Sockets, of_one_channel_are_closed_when_who_had_them_is_gone) {
  RealtimeOptions options;
  options.probe_ms = 20;
  options.notification_ping_ms = 20;
  options.silent_ms = 200;
  Stage stage(options);
  for (const char* target : {"/ws/notifications?token=u7", "/ws/projects/1/preannotate?token=u7",
                             "/ws/video-tracker-jobs/1?token=u7"})
    EXPECT_EQ(stage.open(target)->close_code(), 1001) << target;
}

TEST(Sockets, of_one_channel_stay_open_as_long_as_pings_are_answered) {
  RealtimeOptions options;
  options.probe_ms = 20;
  options.silent_ms = 400;
  Stage stage(options);
  auto client = stage.open("/ws/projects/1/preannotate?token=u7");
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(client->any().opcode, WebSocketClient::kPing);
    client->send_frame(0x80 | WebSocketClient::kPong, "");
  }
}

TEST(Sockets, warn_before_their_token_expires_and_close_then) {
  RealtimeOptions options;
  options.token_warning_ms = 300;
  Stage stage(options);
  stage.door.expire_in(900);
  auto client = stage.open("/ws?token=u7");
  const json said = client->message();
  EXPECT_EQ(said["type"], "token-expiring");
  EXPECT_EQ(said["expires_in"], 1);
  EXPECT_EQ(client->message(), nullptr);
  EXPECT_EQ(client->close_code(), 4003);
}

TEST(Sockets, warn_five_minutes_before) {
  Stage stage;
  stage.door.expire_in(300'500);
  auto client = stage.open("/ws?token=u7");
  const json said = client->message();
  EXPECT_EQ(said["type"], "token-expiring");
  EXPECT_LE(said["expires_in"], 300);
  EXPECT_GT(said["expires_in"], 270);
}

TEST(Sockets, of_one_channel_close_with_the_code_of_their_kind_when_their_token_expires) {
  Stage stage;
  stage.door.expire_in(300);
  const Refused rows[] = {
      {"/ws/prediction-jobs?token=u1", 4003},
      {"/ws/notifications?token=u7", 1008},
      {"/ws/projects/1/preannotate?token=u7", 1008},
      {"/ws/video-tracker-jobs/1?token=u7", 1008},
  };
  for (const auto& [target, code] : rows)
    EXPECT_EQ(stage.open(target)->close_code(), code) << target;
}

// No other key can follow it.
TEST(Sockets, of_a_key_are_not_warned_before_it_expires) {
  RealtimeOptions options;
  options.token_warning_ms = 60'000;
  Stage stage(options);
  stage.door.expire_in(300);
  auto client = stage.open("/ws?token=k7");
  EXPECT_EQ(client->message(), nullptr);
  EXPECT_EQ(client->close_code(), 4003);
}

TEST(Sockets, whose_sign_in_takes_too_long_are_closed) {
  RealtimeOptions options;
  options.opening_ms = 200;  // the handshake needs some, too
  Stage stage(options);
  stage.door.admit_after(1'500);
  for (const char* target : {"/ws?token=u7", "/ws/notifications?token=u7"}) {
    auto client = stage.open(target);
    EXPECT_EQ(client->message(), nullptr) << target;
    EXPECT_EQ(client->close_code(), 1013) << target;
  }
}

TEST(Sockets, go_on_with_another_token_of_the_same_user) {
  RealtimeOptions options;
  options.token_warning_ms = 60'000;
  options.ping_ms = 20;
  Stage stage(options);
  stage.door.expire_in(600);
  auto client = stage.open("/ws?token=u7");
  EXPECT_EQ(client->message()["type"], "token-expiring");
  const Timestamp first_one_is_over = stage.clock.now() + 600;
  stage.door.expire_in(3'600'000);
  client->say(R"({"type":"reauth","token":"u7"})");
  EXPECT_EQ(client->message()["type"], "reauthenticated");
  while (stage.clock.now() < first_one_is_over)
    ASSERT_EQ(client->next().payload, R"({"type":"ping"})");
  client->say(subscribe_text("task:1:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
}

TEST(Sockets, are_closed_by_a_token_that_is_void_or_of_another_user) {
  Stage stage;
  for (const char* token : {"bad", "u8", ""}) {
    auto client = stage.open("/ws?token=u7");
    client->say(json{{"type", "reauth"}, {"token", token}}.dump());
    EXPECT_EQ(client->close_code(), 4003) << token;
  }
}

TEST(Sockets, of_whom_is_shut_out_are_closed_and_no_others) {
  Stage stage;
  auto client = stage.listening("task:1:lock");
  auto bare = stage.open("/ws/notifications?token=u7");
  auto other = stage.open("/ws?token=u8");
  while (!stage.interest.wants({Channel::Kind::notify, 7})) std::this_thread::yield();
  stage.door.shut_out(UserId{7});
  stage.hub.judge_again(UserDeactivated{.user_id = UserId{7}});
  EXPECT_EQ(client->close_code(), 4003);
  EXPECT_EQ(bare->close_code(), 1008);
  other->say(subscribe_text("task:1:lock"));
  EXPECT_EQ(other->message()["type"], "subscribed");
}

TEST(Sockets, lose_the_channels_that_may_not_be_seen_any_more) {
  Stage stage;
  auto client = stage.listening("project:1:annotation");
  client->say(subscribe_text("user:7:notify"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  auto own = stage.open("/ws/projects/1/preannotate?token=u7");
  while (!stage.interest.wants({Channel::Kind::preannotate, 1})) std::this_thread::yield();
  stage.rights.hide_project();
  ProjectMemberRemoved removed;
  removed.project_id = ProjectId{1};
  stage.hub.judge_again(removed);
  EXPECT_EQ(client->message(),
            (json{{"type", "error"}, {"channel", "project:1:annotation"}, {"code", "FORBIDDEN"}}));
  EXPECT_EQ(own->close_code(), 1008);
  EXPECT_TRUE(stage.interest.wants({Channel::Kind::notify, 7})) << "that one is their own";
}

// Frames of 32 KiB fill all buffers on the way to who does not read. That one is closed, the other
// goes on; then the slow one reads, within the time that a closing socket is waited for.
TEST(Sockets, of_slow_readers_are_closed_and_the_others_get_everything) {
  constexpr std::uint64_t kMost = 2000;
  constexpr std::uint64_t kAfterwards = 20;
  RealtimeOptions options;
  options.closing_ms = 20'000;
  Stage stage(options);
  auto slow = stage.open("/ws?token=u8", 4096);
  slow->say(subscribe_text("task:1:lock"));
  auto quick = stage.listening("task:1:lock");
  EXPECT_EQ(slow->message()["type"], "subscribed");
  const Channel channel{Channel::Kind::task_lock, 1};
  const std::string data = "\"" + std::string(32 * 1024, 'x') + "\"";
  std::uint64_t end = kMost;
  for (std::uint64_t i = 1; i <= end; ++i) {
    const commands::Position at{commands::ShardId{1}, commands::Offset{i}};
    const std::vector<Delivery> batch{
        {channel, at, frame_text(channel, {"lock", data}, Cursor({at}))}};
    stage.hub.publish(std::make_shared<const std::vector<Delivery>>(batch));
    ASSERT_EQ(quick->message()["position"], Cursor({at}).token());
    if (end == kMost && stage.hub.metrics().dropped.value() > 0) end = i + kAfterwards;
  }
  ASSERT_LT(end, kMost) << "nobody was too slow";
  EXPECT_EQ(slow->close_code(), 1013);
}

TEST(Sockets, that_are_sent_too_much_are_closed) {
  RealtimeOptions options;
  options.burst_messages = 5;
  options.messages_per_s = 1;
  Stage stage(options);
  auto client = stage.open("/ws?token=u7");
  for (int i = 0; i < 10; ++i) client->say(R"({"type":"pong"})");
  EXPECT_EQ(client->close_code(), 1008);
}

TEST(Sockets, are_told_when_the_service_stops_and_count_until_they_end) {
  Stage stage;
  auto client = stage.listening("task:1:lock");
  auto bare = stage.open("/ws/notifications?token=u7");
  while (stage.open_sockets() < 2) std::this_thread::yield();
  EXPECT_EQ(stage.server->connections(), 2U);
  stage.hub.stop();
  EXPECT_EQ(client->close_code(), 1001);
  EXPECT_EQ(bare->close_code(), 1001);
  EXPECT_EQ(stage.open("/ws?token=u7")->close_code(), 1001);
}

}  // namespace
}  // namespace annolog::api::realtime::socket_test
