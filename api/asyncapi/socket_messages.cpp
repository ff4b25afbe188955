#include "api/asyncapi/socket_messages.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/realtime/channel.hpp"

namespace annolog::api {
namespace {

using nlohmann::json;

constexpr const char* kSocketBindingVersion = "0.1.0";

constexpr const char* kMultiplexed =
    "One socket for any channels, also under /api/v1. The client subscribes and gets "
    "`{channel, type, data, position}`. Frames follow the durable record: what one tells can be "
    "read over REST, on any node. Of each channel they come in order, each at least once.\n\n"
    "**Missed frames.** `after` is the newest position that the client has of the channel, or one "
    "that a write was answered with: what happened behind it is sent again, then what happens. "
    "`REPLAY_TOO_FAR`: too much for that; read everything anew and subscribe without it. "
    "`READ_MODEL_BEHIND`, 10 s behind `subscribed`: the log has not come to that position, and "
    "none but a log that was restored from older files goes back.\n\n"
    "**Life.** `{type: ping}` every 25 s, answered by `{type: pong}`; 60 s of silence close the "
    "socket (1001). Five minutes before the token ends `token-expiring` is sent; `reauth` on the "
    "same socket goes on with a new one.\n\n"
    "**Closed by** 4001 without a token, 4003 when it is void or has expired, 4029 with too many "
    "sockets of one user, 1013 when the reader is too slow, the service has too many sockets or "
    "nobody can be signed in now, 1008 when it is sent too much, 1001 when the service stops.";

constexpr const char* kOneChannel =
    "A socket for one channel, also under /api/v1: its frames come bare, nothing is to be sent. "
    "What happened while nobody was connected does not come here: on `/ws` it can be asked for.\n\n"
    "**Closed by** 1008 without a valid token, when it has expired, or where the channel may not "
    "be seen, 1000 behind the last frame of what has ended, 4029 with too many sockets of one "
    "user, 1013 when the reader is too slow, the service has too many sockets or nobody can be "
    "signed in now, 1001 when nobody answers its ping frames or the service stops.";

json text(std::string about = {}) {
  json schema{{"type", "string"}};
  if (!about.empty()) schema["description"] = std::move(about);
  return schema;
}
json integer() { return {{"type", "integer"}}; }
json a_time() { return {{"type", "string"}, {"format", "date-time"}}; }
json constant(const char* value) { return {{"const", value}}; }
json one_of(std::initializer_list<const char*> values) {
  return {{"type", "string"},
          {"enum", json(std::vector<std::string>(values.begin(), values.end()))}};
}
json or_null(json schema) {
  return {{"anyOf", json::array({std::move(schema), json{{"type", "null"}}})}};
}

// All members are always there, but for those in `optional`.
json object(json properties, const std::vector<std::string>& optional = {}) {
  json required = json::array();
  for (const auto& [name, schema] : properties.items()) {
    if (std::ranges::find(optional, name) == optional.end()) required.push_back(name);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
}

json message(const char* name, const char* summary, json payload) {
  return {{"name", name},
          {"title", name},
          {"summary", summary},
          {"contentType", "application/json"},
          {"payload", std::move(payload)}};
}

json frame(std::string channel, json type, json data) {
  return object({{"channel", text(std::move(channel))},
                 {"type", std::move(type)},
                 {"data", std::move(data)},
                 {"position", text("What a later subscribe may name as `after`.")}});
}

json notification() {
  return object({{"id", integer()},
                 {"type", text("An open set, e.g. task.rejected.")},
                 {"target_type", text()},
                 {"target_id", or_null(integer())},
                 {"payload", {{"type", "object"}}},
                 {"created_at", a_time()},
                 {"read_at", or_null(a_time())}});
}

json progress() {
  return object({{"current", integer()},
                 {"total", integer()},
                 {"status", one_of({"running", "completed", "error"})},
                 {"error", text()}},
                {"error"});
}

json job_progress() {
  return object({{"job_id", integer()},
                 {"type", one_of({"progress", "error", "done"})},
                 {"i", integer()},
                 {"n", integer()},
                 {"ts", text()},
                 {"message", text()},
                 {"succeeded", integer()},
                 {"failed", integer()}},
                {"type", "i", "n", "ts", "message", "succeeded", "failed"});
}

json tracker_event(const char* type, json members = json::object()) {
  members["type"] = constant(type);
  return object(std::move(members));
}

json tracker_events() {
  return {
      {"oneOf", json::array({
                    tracker_event("job_started"),
                    tracker_event("frame_result", {{"frame_index", integer()},
                                                   {"geometry", {{"type", "object"}}},
                                                   {"confidence", {{"type", "number"}}},
                                                   {"outside", {{"type", "boolean"}}},
                                                   {"source", text()}}),
                    tracker_event("job_progress", {{"current", integer()}, {"total", integer()}}),
                    tracker_event("job_completed"),
                    tracker_event("job_failed"),
                    tracker_event("job_cancelled"),
                })}};
}

json client_messages() {
  json all;
  all["SocketSubscribe"] =
      message("subscribe", "Listen to a channel.",
              object({{"type", constant("subscribe")},
                      {"channel", text()},
                      {"after", text("A position: what happened behind it is sent again.")}},
                     {"after"}));
  all["SocketUnsubscribe"] =
      message("unsubscribe", "Listen no more.",
              object({{"type", constant("unsubscribe")}, {"channel", text()}}));
  all["SocketPong"] =
      message("pong", "The answer to a ping.", object({{"type", constant("pong")}}));
  all["SocketReauth"] = message("reauth", "Go on with another token of the same user.",
                                object({{"type", constant("reauth")}, {"token", text()}}));
  return all;
}

json service_messages() {
  json all;
  all["SocketSubscribed"] = message(
      "subscribed", "Frames of the channel follow.",
      object({{"type", constant("subscribed")}, {"channel", text()}, {"position", text()}}));
  all["SocketUnsubscribed"] =
      message("unsubscribed", "No more frames follow.",
              object({{"type", constant("unsubscribed")}, {"channel", text()}}));
  all["SocketError"] = message(
      "error", "A wish was refused, or a channel may not be seen any more; the socket stays open.",
      object({{"type", constant("error")}, {"channel", text()}, {"code", text()}}, {"channel"}));
  all["SocketPing"] =
      message("ping", "The service is there.", object({{"type", constant("ping")}}));
  all["SocketTokenExpiring"] =
      message("token-expiring", "Send a reauth in time.",
              object({{"type", constant("token-expiring")}, {"expires_in", integer()}}));
  all["SocketReauthenticated"] =
      message("reauthenticated", "The new token counts.",
              object({{"type", constant("reauthenticated")}, {"expires_in", integer()}}));
  return all;
}

json frame_messages() {
  json all;
  all["SocketEditFrame"] = message(
      "annotation",
      "Somebody changed annotations. Without an annotation_id: more than a hundred, or imported.",
      frame("project:{id}:annotation", constant("annotation"),
            object({{"task_id", integer()},
                    {"user_id", integer()},
                    {"action", one_of({"created", "updated", "deleted", "restored"})},
                    {"annotation_id", or_null(integer())},
                    {"at", a_time()}})));
  all["SocketLockFrame"] =
      message("lock", "The lock of a task changed.",
              frame("task:{id}:lock", constant("lock"),
                    object({{"task_id", integer()},
                            {"state", one_of({"locked", "renewed", "released", "expired"})},
                            {"user_id", integer()},
                            {"expires_at", or_null(a_time())}})));
  all["SocketJobFrame"] = message("progress", "How far a prediction job is.",
                                  frame("project:{id}:preannotate or global:prediction-jobs",
                                        one_of({"progress", "error", "done"}), job_progress()));
  all["SocketTrackerFrame"] =
      message("tracker", "What a tracker job does, wrapped.",
              frame("video-tracker-job:{id}",
                    one_of({"job_started", "frame_result", "job_progress", "job_completed",
                            "job_failed", "job_cancelled"}),
                    {{"type", "object"}}));
  all["SocketNotificationFrame"] = message("notification", "A notification, wrapped.",
                                           frame("user:{id}:notify", text(), notification()));
  all["SocketNotification"] = message("notification", "A notification, bare.", notification());
  all["SocketProgress"] = message("preannotation",
                                  "How far a pre-annotation is; `completed` ends "
                                  "the socket.",
                                  progress());
  all["SocketTrackerEvent"] =
      message("tracker", "What a tracker job does; a type may get more members.", tracker_events());
  return all;
}

struct SocketChannel {
  const char* id;
  const char* address;
  const char* title;
  const char* parameter;  // null: none
  std::vector<const char*> from_client;
  std::vector<const char*> from_service;
};

const std::vector<SocketChannel>& sockets() {
  static const std::vector<const char*> kWishes{"SocketSubscribe", "SocketUnsubscribe",
                                                "SocketPong", "SocketReauth"};
  static const std::vector<const char*> kTold{
      "SocketSubscribed",   "SocketUnsubscribed",     "SocketError",
      "SocketPing",         "SocketTokenExpiring",    "SocketReauthenticated",
      "SocketEditFrame",    "SocketLockFrame",        "SocketJobFrame",
      "SocketTrackerFrame", "SocketNotificationFrame"};
  static const std::vector<SocketChannel> kSockets{
      {"socket", "/ws", "Multiplexed socket", nullptr, kWishes, kTold},
      {"notificationSocket",
       "/ws/notifications",
       "Notifications",
       nullptr,
       {},
       {"SocketNotification", "SocketPing"}},
      {"preannotationSocket",
       "/ws/projects/{project_id}/preannotate",
       "Pre-annotation",
       "project_id",
       {},
       {"SocketProgress"}},
      {"trackerJobSocket",
       "/ws/video-tracker-jobs/{job_id}",
       "Tracker job",
       "job_id",
       {},
       {"SocketTrackerEvent"}},
      {"predictionJobSocket", "/ws/prediction-jobs", "Prediction jobs", nullptr, kWishes, kTold},
  };
  return kSockets;
}

// The channels that a socket may subscribe, from their own table.
std::string channel_list() {
  std::string list = "\n\n**Channels.**";
  for (const auto& rule : realtime::channel_rules()) {
    list += "\n- `" + std::string(rule.prefix) + (rule.has_id ? "{id}" : "") +
            std::string(rule.suffix) + "`: " + std::string(rule.carries);
    if (rule.audience == realtime::Audience::super_admins) list += " For super_admin.";
    if (rule.audience == realtime::Audience::oneself) list += " For the user itself.";
  }
  return list;
}

json channel_of(const SocketChannel& socket) {
  json messages = json::object();
  for (const auto* names : {&socket.from_client, &socket.from_service}) {
    for (const char* name : *names)
      messages[name] = {{"$ref", "#/components/messages/" + std::string(name)}};
  }
  json query{{"type", "object"},
             {"properties", {{"token", text("The access token; X-API-Key serves as well.")}}}};
  json channel{{"address", socket.address},
               {"title", socket.title},
               {"description", socket.from_client.empty() ? std::string(kOneChannel)
                                                          : kMultiplexed + channel_list()},
               {"messages", std::move(messages)},
               {"bindings",
                {{"ws",
                  {{"method", "GET"},
                   {"query", std::move(query)},
                   {"bindingVersion", kSocketBindingVersion}}}}}};
  if (socket.parameter != nullptr)
    channel["parameters"] = {{socket.parameter, {{"description", "Its id."}}}};
  return channel;
}

json operation(const char* action, const SocketChannel& socket,
               const std::vector<const char*>& names) {
  const std::string channel = "#/channels/" + std::string(socket.id);
  json messages = json::array();
  for (const char* name : names)
    messages.push_back({{"$ref", channel + "/messages/" + std::string(name)}});
  return {{"action", action},
          {"channel", {{"$ref", channel}}},
          {"title", socket.title},
          {"messages", std::move(messages)}};
}

}  // namespace

SocketDescription socket_description() {
  SocketDescription all{json::object(), json::object(), json::object()};
  for (const SocketChannel& socket : sockets()) {
    const std::string id = socket.id;
    all.channels[id] = channel_of(socket);
    all.operations[id + "Receive"] = operation("receive", socket, socket.from_service);
    if (!socket.from_client.empty())
      all.operations[id + "Send"] = operation("send", socket, socket.from_client);
  }
  for (const auto& part : {client_messages(), service_messages(), frame_messages()})
    all.messages.update(part);
  return all;
}

}  // namespace annolog::api
