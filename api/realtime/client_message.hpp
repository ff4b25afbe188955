// What a client may say on the multiplexed socket, read from its JSON text. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace annolog::api::realtime {

struct Subscribe {
  std::string channel;
  std::optional<std::string> after;  // a position: what happened behind it is sent again
};
struct Unsubscribe {
  std::string channel;
};
struct Pong {};
// Goes on with another token of the same user.
struct Reauth {
  std::string token;
};
// `code` is what the client is answered.
struct Misunderstood {
  std::string code;
};

using ClientMessage = std::variant<Subscribe, Unsubscribe, Pong, Reauth, Misunderstood>;

// MALFORMED_JSON; INVALID_MESSAGE for an unknown type or a member that is missing or no text.
// Members that are not known are ignored.
ClientMessage client_message_of(std::string_view text);

}  // namespace annolog::api::realtime
