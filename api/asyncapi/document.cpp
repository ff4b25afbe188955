#include "api/asyncapi/document.hpp"

#include "api/asyncapi/event_messages.hpp"
#include "api/asyncapi/socket_messages.hpp"

namespace annolog::api {
namespace {

using nlohmann::json;

constexpr const char* kKafkaBindingVersion = "0.5.0";

constexpr const char* kAbout =
    "The event log of annolog, for programs that read it where it is kept in Kafka: analytics, "
    "audit, copies. It is made from the program's own catalogue of events and says everything "
    "from the reader's side; nobody but annolog may write to a channel. Channels without an "
    "operation are internal. The channels whose addresses begin with a slash are WebSockets of "
    "the service itself, for whoever may call it. Servers are the installation's affair and not "
    "named here.";

constexpr const char* kEvents =
    "Every fact there is, in the order it happened, kept for ever and never changed: CloudEvents "
    "1.0 in binary mode, attributes as headers, data as JSON.\n\n"
    "**Partitions.** One a shard; their number is fixed for the life of the log. Partition N holds "
    "the records with the key `shard/N`: it is named by the writer, not made from the key's hash. "
    "A project with all that belongs to it is in partition `project_id mod partitions`, a dataset "
    "with its items likewise; users and unique names are in partition 0.\n\n"
    "**Order.** That of the partition. `ce_id` counts: N-1, N-2, N-3 … in partition N, without "
    "gaps; Kafka's own offsets have gaps, because the ends of transactions take one each.\n\n"
    "**Reading.** With `isolation.level=read_committed`: else a reader sees what was never "
    "committed. The events of a command come in one transaction, one after another; all but the "
    "last have `ce_commandcontinues`. `ce_source` and `ce_id` together name an event for ever.\n\n"
    "**Versions.** A type is never changed: it gets a next version. The messages here are the "
    "newest; records of earlier versions stay as they were written, as `ce_schemaversion` says "
    "(absent: 1). Skip types, headers and members that you do not know.\n\n"
    "**Personal fields** (schema `Sealed`) are sealed with a key per person that is not in this "
    "channel.";

constexpr const char* kReading =
    "What analytics do: in a consumer group of one's own, or with partitions and offsets kept "
    "beside what was made of them; with `isolation.level=read_committed`, from the earliest "
    "offset on.";

struct InternalChannel {
  const char* id;
  std::string LogTopics::* topic;
  const char* title;
  const char* description;
  const char* cleanup;
};

constexpr InternalChannel kInternal[] = {
    {"commands", &LogTopics::commands, "Commands",
     "Internal: wishes on their way to the one writer of their shard, a partition a shard. What "
     "stands here has not happened and may be refused; the channel `events` says what did. "
     "Records are dropped after a time.",
     "delete"},
    {"replies", &LogTopics::replies, "Replies",
     "Internal: the outcomes of commands on their way back to the node that asked. Records are "
     "dropped after a time.",
     "delete"},
    {"realtime", &LogTopics::realtime, "Realtime frames",
     "Internal, and not written to: each node makes the frames of its sockets from the channel "
     "`events`.",
     "delete"},
    {"subjectKeys", &LogTopics::subject_keys, "Subject keys",
     "Internal and secret: the keys that open sealed personal fields, by person. Nobody but "
     "annolog may read it. A person who is erased loses the key here, compaction takes it from the "
     "disk, and the person's fields in the channel `events` can't be read any more.",
     "compact"},
};

json kafka(json binding) {
  binding["bindingVersion"] = kKafkaBindingVersion;
  return {{"kafka", std::move(binding)}};
}

json events_channel(const LogTopics& topics, const EventMessages& events) {
  json messages = json::object();
  for (const auto& [name, message] : events.messages)
    messages[name] = {{"$ref", "#/components/messages/" + name}};
  json kept{{"cleanup.policy", json::array({"delete"})},
            {"retention.ms", -1},
            {"retention.bytes", -1},
            {"max.message.bytes", topics.max_message_bytes}};
  return {{"address", topics.events},
          {"title", "Events"},
          {"summary", "The truth: all events of all shards."},
          {"description", kEvents},
          {"messages", std::move(messages)},
          {"bindings", kafka({{"topicConfiguration", std::move(kept)}})}};
}

json internal_channel(const InternalChannel& channel, const std::string& topic) {
  return {{"address", topic},
          {"title", channel.title},
          {"description", channel.description},
          {"messages", {{"Internal", {{"$ref", "#/components/messages/Internal"}}}}},
          {"bindings",
           kafka({{"topicConfiguration", {{"cleanup.policy", json::array({channel.cleanup})}}}})}};
}

json receive_events(const EventMessages& events) {
  json messages = json::array();
  for (const auto& [name, message] : events.messages)
    messages.push_back({{"$ref", "#/channels/events/messages/" + name}});
  return {{"action", "receive"},
          {"channel", {{"$ref", "#/channels/events"}}},
          {"title", "Read the events"},
          {"summary", "Analytics, audit and copies follow the log."},
          {"description", kReading},
          {"messages", std::move(messages)},
          {"bindings", kafka({{"groupId", {{"type", "string"}, {"minLength", 1}}}})}};
}

json components(EventMessages events) {
  events.messages["Internal"] = {
      {"name", "internal"},
      {"title", "Internal"},
      {"summary", "For annolog's own nodes: its form may change with every version."},
      {"contentType", "application/octet-stream"},
      {"payload", {{"description", "Bytes that nobody else should look into."}}}};
  json key{{"type", "string"},
           {"pattern", "^shard/[0-9]+$"},
           {"description", "The shard, which is the number of the partition."}};
  return {{"messages", std::move(events.messages)},
          {"messageBindings", {{"event", kafka({{"key", std::move(key)}})}}},
          {"schemas", std::move(events.schemas)}};
}

}  // namespace

std::string asyncapi_document(const std::string& version, const LogTopics& topics) {
  EventMessages events = event_messages();
  json document{
      {"asyncapi", "3.0.0"},
      {"info", {{"title", "annolog events"}, {"version", version}, {"description", kAbout}}},
      {"defaultContentType", "application/json"}};
  document["channels"]["events"] = events_channel(topics, events);
  for (const InternalChannel& channel : kInternal)
    document["channels"][channel.id] = internal_channel(channel, topics.*channel.topic);
  document["operations"]["receiveEvents"] = receive_events(events);
  document["components"] = components(std::move(events));
  const SocketDescription sockets = socket_description();
  document["channels"].update(sockets.channels);
  document["operations"].update(sockets.operations);
  document["components"]["messages"].update(sockets.messages);
  return document.dump(2) + "\n";
}

}  // namespace annolog::api
