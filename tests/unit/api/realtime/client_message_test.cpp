#include "api/realtime/client_message.hpp"

#include <gtest/gtest.h>

namespace annolog::api::realtime::client_message_test {
namespace {

std::string refusal_of(std::string_view text) {
  const auto message = client_message_of(text);
  const auto* what = std::get_if<Misunderstood>(&message);
  return what == nullptr ? "understood" : what->code;
}

TEST(ClientMessages, are_four) {
  const auto subscribe = std::get<Subscribe>(
      client_message_of(R"({"type":"subscribe","channel":"task:1:lock","after":"p1.0-3"})"));
  EXPECT_EQ(subscribe.channel, "task:1:lock");
  EXPECT_EQ(subscribe.after, "p1.0-3");
  EXPECT_EQ(
      std::get<Unsubscribe>(client_message_of(R"({"type":"unsubscribe","channel":"c"})")).channel,
      "c");
  EXPECT_TRUE(std::holds_alternative<Pong>(client_message_of(R"({"type":"pong"})")));
  EXPECT_EQ(std::get<Reauth>(client_message_of(R"({"type":"reauth","token":"t"})")).token, "t");
}

TEST(ClientMessages, ignore_what_they_do_not_know) {
  EXPECT_TRUE(std::holds_alternative<Pong>(client_message_of(R"({"type":"pong","at":[1,{}]})")));
  const auto message =
      client_message_of(R"({"type":"subscribe","channel":"c","after":null,"more":1})");
  EXPECT_EQ(std::get<Subscribe>(message).after, std::nullopt);
}

TEST(ClientMessages, that_are_no_json_are_malformed) {
  for (const char* text : {"", "pong", "{", R"({"type":"pong"} x)", R"({"type":"a","type":"b"})",
                           "{\"type\":\"\xff\"}"}) {
    EXPECT_EQ(refusal_of(text), "MALFORMED_JSON") << text;
  }
  EXPECT_EQ(refusal_of(std::string(65, '[') + std::string(65, ']')), "MALFORMED_JSON");
}

TEST(ClientMessages, of_another_form_are_invalid) {
  for (const char* text :
       {"[]", "1", "null", "{}", R"({"type":1})", R"({"type":"ping"})", R"({"type":"subscribe"})",
        R"({"type":"subscribe","channel":7})", R"({"type":"subscribe","channel":"c","after":7})",
        R"({"type":"reauth"})", R"({"type":"reauth","token":null})", R"({"channel":"c"})"}) {
    EXPECT_EQ(refusal_of(text), "INVALID_MESSAGE") << text;
  }
}

}  // namespace
}  // namespace annolog::api::realtime::client_message_test
