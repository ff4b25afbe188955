#include "api/realtime/client_message.hpp"

#include "api/http/json_parse.hpp"

namespace annolog::api::realtime {
namespace {

using nlohmann::json;

// A member's text; nothing when it is missing or something else.
std::optional<std::string> text_of(const json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool is_absent(const json& message, const char* name) {
  const auto found = message.find(name);
  return found == message.end() || found->is_null();
}

ClientMessage understand(const json& message) {
  const Misunderstood invalid{"INVALID_MESSAGE"};
  const auto type = text_of(message, "type");
  if (type == "pong") return Pong{};
  if (type == "reauth") {
    auto token = text_of(message, "token");
    if (!token) return invalid;
    return Reauth{std::move(*token)};
  }
  auto channel = text_of(message, "channel");
  if (!channel) return invalid;
  if (type == "unsubscribe") return Unsubscribe{std::move(*channel)};
  if (type != "subscribe") return invalid;
  auto after = text_of(message, "after");
  if (!after && !is_absent(message, "after")) return invalid;
  return Subscribe{std::move(*channel), std::move(after)};
}

}  // namespace

ClientMessage client_message_of(std::string_view text) {
  std::vector<FieldError> errors;
  const auto parsed = http::parse_client_json(text, errors);
  const auto* message = std::get_if<json>(&parsed);
  if (message == nullptr) return Misunderstood{"MALFORMED_JSON"};
  if (!errors.empty() || !message->is_object()) return Misunderstood{"INVALID_MESSAGE"};
  return understand(*message);
}

}  // namespace annolog::api::realtime
