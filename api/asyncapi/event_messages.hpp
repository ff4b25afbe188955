// Every event type as an AsyncAPI message with the JSON Schema of its data. Pure.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace annolog::api {

struct EventMessages {
  // By the name of the event's schema, e.g. TaskSubmitted. Their bindings are the component
  // messageBindings/event.
  std::map<std::string, nlohmann::json> messages;
  std::map<std::string, nlohmann::json> schemas;  // of data and headers
};

// Of the newest version of each type in the catalogue.
EventMessages event_messages();

}  // namespace annolog::api
