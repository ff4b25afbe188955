// What clients say on a WebSocket, and the names of channels and the positions that it holds.
#include <nlohmann/json.hpp>

#include "api/realtime/channel.hpp"
#include "api/realtime/client_message.hpp"
#include "api/realtime/cursor.hpp"
#include "api/realtime/frames.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

namespace realtime = api::realtime;

void try_channel(const std::string& name) {
  const auto channel = realtime::channel_of(name);
  if (channel) require(realtime::name_of(*channel) == name, "a channel's name comes back");
  const auto answer = nlohmann::json::parse(*realtime::error_text(name, "CODE"));
  require(answer["code"] == "CODE", "any name can be told back");
}

void try_position(const std::string& token) {
  constexpr std::uint16_t kShards = 64;
  const auto positions = api::parse_position_token(token, kShards);
  if (!positions) return;
  const realtime::Cursor cursor(*positions);
  for (const auto& position : *positions) require(cursor.covers(position), "a cursor is whole");
  const auto again = api::parse_position_token(cursor.token(), kShards);
  require(again && *again == cursor.positions(), "a cursor comes back");
}

}  // namespace

void try_input(std::string_view input) {
  const auto message = realtime::client_message_of(input);
  if (const auto* what = std::get_if<realtime::Misunderstood>(&message))
    require(what->code == "MALFORMED_JSON" || what->code == "INVALID_MESSAGE", "a code is known");
  if (const auto* wish = std::get_if<realtime::Unsubscribe>(&message)) try_channel(wish->channel);
  const auto* wish = std::get_if<realtime::Subscribe>(&message);
  if (wish == nullptr) return;
  try_channel(wish->channel);
  if (wish->after) try_position(*wish->after);
}

}  // namespace annolog::fuzz
