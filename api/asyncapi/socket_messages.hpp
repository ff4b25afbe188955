// The WebSockets as channels and messages of the AsyncAPI document, from the client's side. Pure.
#pragma once

#include <nlohmann/json.hpp>

namespace annolog::api {

// Adds to the members of the document that are given: channels, operations, components/messages.
struct SocketDescription {
  nlohmann::json channels;
  nlohmann::json operations;
  nlohmann::json messages;
};
SocketDescription socket_description();

}  // namespace annolog::api
