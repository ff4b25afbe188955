#include "api/asyncapi/event_headers.hpp"

#include <string>

namespace annolog::api {
namespace {

using nlohmann::json;

enum class Presence { always, sometimes };

struct Header {
  const char* name;
  Presence presence;
  const char* schema;  // beside "type": "string"
  const char* description;
};

// What eventstore/kafka/record_message.cpp writes; tests/kafka compares it with real records.
constexpr Header kHeaders[] = {
    {"content-type", Presence::always, R"({"const":"application/json"})",
     "datacontenttype: the value of the record."},
    {"ce_specversion", Presence::always, R"({"const":"1.0"})", "CloudEvents 1.0."},
    {"ce_id", Presence::always, R"({"pattern":"^[0-9]+-[1-9][0-9]*$"})",
     "Unique within the source: the partition, and the place in it, which counts 1, 2, 3 … without "
     "gaps."},
    {"ce_source", Presence::always, R"({"minLength":1,"format":"uri-reference"})",
     "The log: /annolog/<log id>. The same for all events of a log."},
    {"ce_type", Presence::always, R"({"minLength":1})", "What happened, e.g. task.submitted."},
    {"ce_subject", Presence::always, R"({"minLength":1})", "What it happened to, e.g. task/4161."},
    {"ce_time", Presence::always, R"({"format":"date-time"})",
     "When it was decided: UTC with milliseconds, 2026-11-21T08:00:00.123Z."},
    {"ce_schemaversion", Presence::sometimes, R"({"pattern":"^[1-9][0-9]*$"})",
     "Version of the type's data; absent: 1."},
    {"ce_chain", Presence::always, R"({"pattern":"^[0-9a-f]{64}$"})",
     "SHA-256 of the partition's previous ce_chain and of this record: proves that nothing was "
     "altered, dropped or reordered."},
    {"ce_commandcontinues", Presence::sometimes, R"({"const":"true"})",
     "More events of the same command follow; absent on the last: what was decided at once is "
     "whole."},
    {"ce_actor", Presence::sometimes, R"({"minLength":1})",
     "Id of the user who wished it; 0: the service itself."},
    {"ce_requestid", Presence::sometimes, R"({"minLength":1})",
     "X-Request-Id of the request that carried the command."},
    {"ce_causationid", Presence::sometimes, R"({"minLength":1})",
     "ce_id of the event that caused the command."},
    {"ce_traceparent", Presence::sometimes, R"({"minLength":1})", "W3C trace context."},
    {"ce_idempotency", Presence::sometimes, R"({"minLength":1})",
     "Internal: what a retry with the same Idempotency-Key is answered from."},
    {"annolog-writer", Presence::sometimes, R"({"minLength":1})",
     "Internal: the transactional id of the writer, on the first of a transaction in the "
     "partition."},
};

}  // namespace

json event_headers() {
  json properties = json::object();
  json required = json::array();
  for (const Header& header : kHeaders) {
    json schema = json::parse(header.schema);
    schema["type"] = "string";
    schema["description"] = header.description;
    properties[header.name] = std::move(schema);
    if (header.presence == Presence::always) required.push_back(header.name);
  }
  return {{"type", "object"},
          {"description", "CloudEvents 1.0 in binary mode: one header an attribute, as text."},
          {"properties", std::move(properties)},
          {"required", std::move(required)}};
}

json event_headers_of(const EventKind& kind) {
  // A request is named by its X-Request-Id, which is the caller's if one came.
  const std::string_view id = kind.aggregate == "request" ? "[A-Za-z0-9._-]{1,128}" : "[0-9]+";
  const std::string subject = "^" + std::string(kind.aggregate) + "/" + std::string(id) + "$";
  json own{{"properties",
            {{"ce_type", {{"const", kind.type}}},
             {"ce_schemaversion", {{"const", std::to_string(kind.version)}}},
             {"ce_subject", {{"pattern", subject}}}}}};
  if (kind.version > 1) own["required"] = {"ce_schemaversion"};
  return {
      {"type", "object"},
      {"allOf", json::array({{{"$ref", "#/components/schemas/EventHeaders"}}, std::move(own)})}};
}

}  // namespace annolog::api
