// How an event is shown to the members of its project: by the change feed, as a page and as a
// stream. Plain values. docs/change-feed.md; which events and what of them:
// codec/public_events.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "commands/position.hpp"
#include "domain/codec/public_events.hpp"
#include "domain/history/past.hpp"
#include "domain/support/json_text.hpp"

namespace annolog::api {

struct PublicActor {
  UserId id;
  std::string name;  // as it is now; empty: the person was erased
  bool operator==(const PublicActor&) const = default;
};
BOOST_DESCRIBE_STRUCT(PublicActor, (), (id, name))

struct PublicEventView {
  std::string id;  // the record's in the log
  std::string type;
  std::int64_t version = 1;  // of the type's public form
  Timestamp at;
  std::optional<PublicActor> actor;  // null: the service itself
  ProjectId project_id;
  std::optional<TaskId> task_id{};
  std::optional<BatchId> batch_id{};
  std::optional<AnnotationId> annotation_id{};
  std::string position;  // to go on behind it
  JsonText data;
  static constexpr std::array<std::string_view, 3> kOmitWhenEmpty{"task_id", "batch_id",
                                                                  "annotation_id"};
  bool operator==(const PublicEventView&) const = default;
};
BOOST_DESCRIBE_STRUCT(PublicEventView, (),
                      (id, type, version, at, actor, project_id, task_id, batch_id, annotation_id,
                       position, data))

struct PlaceOfEvent {
  ProjectId project_id;
  commands::ShardId shard;
};

// Nothing for a private event. The actor's name is left to the caller, who has the directory.
std::optional<PublicEventView> public_event_view(const PastEvent& event, const PlaceOfEvent& place,
                                                 const codec::NameOfClass& name_of);

// Where a project's feed goes on behind `offset`.
std::string feed_position(commands::ShardId shard, std::int64_t offset);

// One message of a stream of Server-Sent Events (HTML, section 9.2): the position is its id.
std::string sse_message(const PublicEventView& event);
// What keeps a silent stream open; a position is remembered by the client, and shows nothing.
std::string sse_heartbeat(const std::optional<std::string>& position = std::nullopt);
// How long a client waits before it comes back; first of a stream.
std::string sse_retry(std::int64_t ms);

}  // namespace annolog::api
