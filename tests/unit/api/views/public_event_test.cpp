// An event as the feed shows it: JSON of a page, messages of a stream.
#include "api/views/public_event.hpp"

#include <gtest/gtest.h>

#include "domain/codec/json/json_writer.hpp"

namespace annolog::api::public_event_test {
namespace {

constexpr Timestamp kNow{1'750'000'000'000};
constexpr PlaceOfEvent kPlace{ProjectId{11}, commands::ShardId{3}};

std::string no_name(ClassId) { return {}; }

PastEvent skipped(UserId actor, std::string reason) {
  return {152, {actor, kNow}, TaskSkipped{kPlace.project_id, TaskId{30}, UserId{7}, reason}};
}

TEST(PublicEventView, says_who_did_what_to_what_and_where_to_go_on) {
  auto view = public_event_view(skipped(UserId{7}, "blurred"), kPlace, no_name);
  view->actor->name = "Ada";
  EXPECT_EQ(codec::to_json_text(*view),
            R"({"id":"3-152","type":"task.skipped","version":1,"at":"2025-06-15T15:06:40.000Z",)"
            R"("actor":{"id":7,"name":"Ada"},"project_id":11,"task_id":30,)"
            R"("position":"p1.3-152","data":{"user_id":7,"reason":"blurred"}})");
}

TEST(PublicEventView, has_no_actor_when_the_service_did_it_itself) {
  const auto view = public_event_view(skipped(kSystemUser, ""), kPlace, no_name);
  EXPECT_FALSE(view->actor);
  EXPECT_NE(codec::to_json_text(*view).find(R"("actor":null)"), std::string::npos);
}

TEST(PublicEventView, is_none_of_a_private_event) {
  const PastEvent renewed{
      1, {UserId{7}, kNow}, TaskLockRenewed{kPlace.project_id, TaskId{30}, UserId{7}, kNow}};
  EXPECT_FALSE(public_event_view(renewed, kPlace, no_name));
}

TEST(ServerSentEvents, a_message_has_the_position_as_id_and_one_line_of_json) {
  const auto view = public_event_view(skipped(UserId{7}, "two\nlines\r\n"), kPlace, no_name);
  const std::string text = sse_message(*view);
  const std::string head = "id: p1.3-152\nevent: task.skipped\ndata: {";
  EXPECT_EQ(text.substr(0, head.size()), head);
  EXPECT_EQ(text.find('\n', head.size()), text.size() - 2) << text;
  EXPECT_TRUE(text.ends_with("}\n\n"));
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ServerSentEvents, what_keeps_a_stream_open_dispatches_nothing) {
  EXPECT_EQ(sse_heartbeat(), ":\n\n");
  EXPECT_EQ(sse_heartbeat("p1.3-9"), ":\nid: p1.3-9\n\n");
  EXPECT_EQ(sse_retry(2000), "retry: 2000\n\n");
}

}  // namespace
}  // namespace annolog::api::public_event_test
