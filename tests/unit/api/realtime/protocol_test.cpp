// RFC 6455 from the service's side: what breaks its rules is closed with the code that it has for
// that, and what keeps them is understood, however it is cut.
#include <gtest/gtest.h>

#include "tests/unit/api/realtime/stage.hpp"

namespace annolog::api::realtime::protocol_test {
namespace {

constexpr int kFin = 0x80;
const std::string kPongText = R"({"type":"pong"})";

struct Breach {
  const char* what;
  int first;
  std::string payload;
  int code;
};

TEST(WebSocketRules, that_are_broken_close_the_socket) {
  Stage stage;
  const Breach rows[] = {
      {"a binary message", kFin | 2, "x", 1003},
      {"a message that is too large", kFin | 1, std::string(64 * 1024 + 1, 'x'), 1009},
      {"bytes that are no UTF-8", kFin | 1, "\xff", 1007},
      {"a surrogate", kFin | 1, "\xed\xa0\x80", 1007},
      {"half a character", kFin | 1, "\xc3", 1007},
      {"an overlong form", kFin | 1, "\xc0\xaf", 1007},
      {"a reserved bit", kFin | 0x20 | 1, "x", 1002},
      {"packed without agreement", kFin | 0x40 | 1, "x", 1002},
      {"a reserved opcode", kFin | 3, "x", 1002},
      {"a reserved control opcode", kFin | 11, "", 1002},
      {"a continuation of nothing", kFin | 0, "x", 1002},
      {"a ping in pieces", 9, "x", 1002},
      {"a ping that is too long", kFin | 9, std::string(126, 'x'), 1002},
      {"a close of one byte", kFin | 8, "x", 1002},
      {"a close with a code that is never sent", kFin | 8, "\x03\xed", 1002},
      {"a close whose reason is no UTF-8", kFin | 8, "\x03\xe8\xff", 1002},
  };
  for (const Breach& row : rows) {
    auto client = stage.open("/ws?token=u7");
    client->send_frame(row.first, row.payload);
    EXPECT_EQ(client->close_code(), row.code) << row.what;
  }
}

TEST(WebSocketRules, ask_clients_to_mask) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  client->send(std::string("\x81\x02{}", 4));
  EXPECT_EQ(client->close_code(), 1002);
}

TEST(WebSocketRules, a_message_within_another_is_none) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  client->send_frame(1, "{");
  client->send_frame(kFin | 1, "}");
  EXPECT_EQ(client->close_code(), 1002);
}

TEST(WebSocketRules, pieces_may_not_be_too_much_together) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  client->send_frame(1, std::string(40 * 1024, ' '));
  client->send_frame(kFin | 0, std::string(40 * 1024, ' '));
  EXPECT_EQ(client->close_code(), 1009);
}

TEST(WebSocketRules, a_message_may_come_in_pieces_with_pings_between) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  const std::string wish = subscribe_text("task:1:lock");
  client->send_frame(1, wish.substr(0, 1));
  for (std::size_t i = 1; i + 1 < wish.size(); ++i) client->send_frame(0, wish.substr(i, 1));
  client->send_frame(kFin | 9, "are you there");
  const WireFrame pong = client->any();
  EXPECT_EQ(pong.opcode, WebSocketClient::kPong);
  EXPECT_EQ(pong.payload, "are you there");
  client->send_frame(0, "");
  client->send_frame(kFin | 0, wish.substr(wish.size() - 1));
  EXPECT_EQ(client->message()["type"], "subscribed");
}

TEST(WebSocketRules, the_largest_message_is_read) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  client->say(kPongText + std::string(64 * 1024 - kPongText.size(), ' '));
  client->say(subscribe_text("task:1:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
}

TEST(WebSocketRules, a_close_is_answered_with_its_code) {
  Stage stage;
  auto client = stage.open("/ws?token=u7");
  client->send_frame(kFin | 8, std::string("\x03\xe8") + "bye");
  EXPECT_EQ(client->close_code(), 1000);
}

TEST(WebSocketRules, nothing_may_be_sent_before_the_answer) {
  Stage stage;
  const std::string early = std::string("\x89\x80", 2) + std::string(4, '\0');
  // Header and frame in one write: the head's end comes first, then what may not be there.
  WebSocketClient hasty(stage.server->port(), "/ws?token=u7", "X-A: b\r\n\r\n" + early);
  EXPECT_FALSE(hasty.is_open());
}

TEST(WebSocketRules, packed_messages_are_agreed_on_with_small_windows) {
  Stage stage;
  WebSocketClient client(
      stage.server->port(), "/ws?token=u7",
      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
  ASSERT_TRUE(client.is_open());
  EXPECT_NE(client.head().find("server_no_context_takeover"), std::string::npos) << client.head();
  EXPECT_NE(client.head().find("client_max_window_bits=10"), std::string::npos) << client.head();
}

// Deep in the frame: 64 KiB of head would not fit the buffer that frames are read by.
TEST(WebSocketRules, a_long_head_is_read) {
  Stage stage;
  WebSocketClient client(stage.server->port(), "/ws?token=u7",
                         "Cookie: a=" + std::string(8000, 'x') + "\r\n");
  EXPECT_TRUE(client.is_open());
}

}  // namespace
}  // namespace annolog::api::realtime::protocol_test
