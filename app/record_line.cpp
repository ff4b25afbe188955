#include "app/record_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "domain/support/timestamp.hpp"
#include "eventstore/chain.hpp"
#include "eventstore/record_id.hpp"

namespace annolog::app {
namespace {

using nlohmann::ordered_json;

// What callers may choose (a request id) must not steer the terminal.
std::string shown(std::string_view text) {
  if (text.empty()) return "-";
  std::string safe(text);
  std::ranges::replace_if(safe, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return safe;
}

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Byte for byte as stored, on one line: in JSON, line breaks can only be between tokens.
std::string data_member(const std::string& data) {
  if (!ordered_json::accept(data)) return dump(data);
  std::string line = data;
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

std::string text_line(const eventstore::Record& record) {
  const auto& from = record.headers;
  return fmt::format("{}  {:>9}  {:<26}  {:<14}  {:<8}  {}", to_rfc3339(Timestamp{from.time_ms}),
                     eventstore::record_id(record.position), shown(from.type), shown(from.subject),
                     shown(from.actor), shown(from.request_id));
}

std::string json_line(const eventstore::Record& record, std::string_view log_id) {
  const auto& from = record.headers;
  ordered_json event{{"specversion", "1.0"},
                     {"id", from.id},
                     {"source", fmt::format("/annolog/{}", log_id)},
                     {"type", from.type},
                     {"time", to_rfc3339(Timestamp{from.time_ms})}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) event[name] = text;
  };
  add("subject", from.subject);
  event["partitionkey"] = fmt::format("shard/{}", record.position.shard.value);
  event["sequence"] = std::to_string(record.position.offset.value);
  event["schemaversion"] = std::to_string(from.schema_version);
  add("actor", from.actor);
  add("requestid", from.request_id);
  add("causationid", from.causation_id);
  add("traceparent", from.traceparent);
  add("idempotency", from.idempotency);
  event["chain"] = eventstore::to_hex(eventstore::as_bytes(record.chain));
  if (!record.last_of_command) event["commandcontinues"] = "true";
  event["datacontenttype"] = "application/json";
  std::string line = dump(event);
  line.pop_back();
  return line + ",\"data\":" + data_member(record.data) + "}";
}

}  // namespace annolog::app
