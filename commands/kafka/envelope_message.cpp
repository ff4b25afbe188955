#include "commands/kafka/envelope_message.hpp"

#include <fmt/format.h>

#include "commands/wire/command_json.hpp"
#include "commands/wire/outcome_json.hpp"
#include "domain/codec/json/codec_error.hpp"
#include "domain/codec/json/json_format.hpp"
#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"
#include "domain/support/number.hpp"
#include "eventstore/kafka/message_headers.hpp"

namespace annolog::commands {
namespace {

using eventstore::kafka::each_header;
using eventstore::kafka::Message;

constexpr std::string_view kId = "ce_id";
constexpr std::string_view kType = "ce_type";
constexpr std::string_view kActor = "ce_actor";
constexpr std::string_view kRole = "ce_role";
constexpr std::string_view kRequestId = "ce_requestid";
constexpr std::string_view kCausationId = "ce_causationid";
constexpr std::string_view kTraceparent = "ce_traceparent";
constexpr std::string_view kIdempotency = "ce_idempotency";
constexpr std::string_view kRequestHash = "ce_requesthash";
constexpr std::string_view kRequest = "ce_request";    // JSON of RequestFacts
constexpr std::string_view kDeadline = "ce_deadline";  // ms since 1970
constexpr std::string_view kNode = "ce_node";
constexpr std::string_view kReplyTo = "ce_replyto";  // a partition of the replies
constexpr std::string_view kCommandPrefix = "command.";
constexpr std::string_view kReplyType = "reply";

template <class T>
T number(std::string_view text) {
  const auto value = number_from<T>(text);
  if (!value) throw codec::CodecError("header", "expected a number, found " + std::string(text));
  return *value;
}

Message event_message(const std::string& topic, std::int32_t partition, const std::string& node,
                      const platform::Clock& clock) {
  Message message;
  message.topic = topic;
  message.partition = partition;
  message.time_ms = clock.now().ms;
  message.headers = {{"content-type", "application/json"},
                     {"ce_specversion", "1.0"},
                     {"ce_source", "/annolog/node/" + node},
                     {"ce_time", to_rfc3339(clock.now())},
                     {kNode, node}};
  return message;
}

void put_text(Message& message, std::string_view name, const std::string& text) {
  if (!text.empty()) message.headers.emplace_back(name, text);
}

// Fills what one header says; those of no interest are passed over.
void take(std::string_view name, std::string_view value, const platform::Clock& clock,
          ReceivedCommand& command, std::string& type) {
  Envelope& to = command.envelope;
  const auto idempotency = [&]() -> IdempotencyKey& {
    if (!to.idempotency) to.idempotency.emplace();
    return *to.idempotency;
  };
  if (name == kType) {
    type = value.starts_with(kCommandPrefix) ? value.substr(kCommandPrefix.size()) : value;
  } else if (name == kActor) {
    to.actor = UserId{number<std::int64_t>(value)};
  } else if (name == kRole) {
    const auto role = codec::enum_from_text<Role>(value);
    if (!role) throw codec::CodecError("role", "unknown word " + std::string(value));
    to.role = *role;
  } else if (name == kRequestId) {
    to.request_id = value;
  } else if (name == kCausationId) {
    to.causation_id = value;
  } else if (name == kTraceparent) {
    to.traceparent = value;
  } else if (name == kIdempotency) {
    idempotency().key = value;
  } else if (name == kRequestHash) {
    idempotency().request_hash = value;
  } else if (name == kRequest) {
    to.request = codec::from_json_text<RequestFacts>(value);
  } else if (name == kDeadline) {
    to.deadline_ms = clock.monotonic_ms() + number<std::int64_t>(value) - clock.now().ms;
    if (to.deadline_ms == 0) to.deadline_ms = -1;  // 0 would be none
  }
}

}  // namespace

Message to_message(const Envelope& envelope, const ReturnAddress& from, const std::string& topic,
                   std::uint16_t shards, const platform::Clock& clock) {
  const std::uint16_t shard = shard_of(envelope.command, shards).value;
  Message message = event_message(topic, shard, from.node, clock);
  message.key = fmt::format("shard/{}", shard);
  message.value = to_json(envelope.command);
  auto& headers = message.headers;
  headers.emplace_back(kId, from.command_id);
  headers.emplace_back(kType, std::string(kCommandPrefix) + command_name(envelope.command));
  headers.emplace_back(kReplyTo, std::to_string(from.partition));
  headers.emplace_back(kActor, std::to_string(envelope.actor.value));
  headers.emplace_back(kRole, std::string(codec::enum_text(envelope.role)));
  put_text(message, kRequestId, envelope.request_id);
  put_text(message, kCausationId, envelope.causation_id);
  put_text(message, kTraceparent, envelope.traceparent);
  if (envelope.idempotency) {
    headers.emplace_back(kIdempotency, envelope.idempotency->key);
    headers.emplace_back(kRequestHash, envelope.idempotency->request_hash);
  }
  if (envelope.request) headers.emplace_back(kRequest, codec::to_json_text(*envelope.request));
  if (envelope.deadline_ms != 0)
    headers.emplace_back(
        kDeadline, std::to_string(clock.now().ms + envelope.deadline_ms - clock.monotonic_ms()));
  return message;
}

ReceivedCommand to_command(const rd_kafka_message_t& message, const platform::Clock& clock) {
  ReceivedCommand command;
  command.from = return_address(message);
  std::string type;
  each_header(message, [&](std::string_view name, std::string_view value) {
    take(name, value, clock, command, type);
  });
  command.envelope.command = command_from_json(type, eventstore::kafka::value_of(message));
  return command;
}

ReturnAddress return_address(const rd_kafka_message_t& message) {
  ReturnAddress from;
  each_header(message, [&](std::string_view name, std::string_view value) {
    if (name == kNode) from.node = value;
    if (name == kId) from.command_id = value;
    if (name == kReplyTo) from.partition = number_from<std::int32_t>(value).value_or(0);
  });
  return from;
}

Message to_message(const Outcome& outcome, const ReturnAddress& to, const std::string& topic,
                   const platform::Clock& clock) {
  Message message = event_message(topic, to.partition, to.node, clock);
  message.key = to.node;
  message.value = to_json(outcome);
  message.headers.emplace_back(kId, to.command_id);
  message.headers.emplace_back(kType, std::string(kReplyType));
  return message;
}

ReceivedReply to_reply(const rd_kafka_message_t& message) {
  const ReturnAddress address = return_address(message);
  return {address.node, address.command_id, std::string(eventstore::kafka::value_of(message))};
}

}  // namespace annolog::commands
