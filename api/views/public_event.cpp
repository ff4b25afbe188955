#include "api/views/public_event.hpp"

#include <utility>

#include "api/positions.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::api {

std::string feed_position(commands::ShardId shard, std::int64_t offset) {
  return position_token({{shard, commands::Offset{static_cast<std::uint64_t>(offset)}}});
}

std::optional<PublicEventView> public_event_view(const PastEvent& event, const PlaceOfEvent& place,
                                                 const codec::NameOfClass& name_of) {
  auto shown = codec::public_event(event.event, name_of);
  if (!shown) return std::nullopt;
  PublicEventView view;
  view.id = std::to_string(place.shard.value) + "-" + std::to_string(event.position);
  view.type = std::string(shown->type);
  view.version = shown->version;
  view.at = event.how.at;
  if (event.how.actor != kSystemUser) view.actor = PublicActor{event.how.actor, ""};
  view.project_id = place.project_id;
  view.task_id = shown->task_id;
  view.batch_id = shown->batch_id;
  view.annotation_id = shown->annotation_id;
  view.position = feed_position(place.shard, event.position);
  view.data = {std::move(shown->data)};
  return view;
}

// JSON as it is written here has no line breaks, which would end a field.
std::string sse_message(const PublicEventView& event) {
  std::string text = "id: " + event.position + "\nevent: " + event.type + "\ndata: ";
  codec::write_json(text, event);
  text += "\n\n";
  return text;
}

std::string sse_heartbeat(const std::optional<std::string>& position) {
  return position ? ":\nid: " + *position + "\n\n" : ":\n\n";
}

std::string sse_retry(std::int64_t ms) { return "retry: " + std::to_string(ms) + "\n\n"; }

}  // namespace annolog::api
