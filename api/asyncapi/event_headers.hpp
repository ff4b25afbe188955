// The Kafka headers of an event as JSON Schemas: CloudEvents attributes, all of them text. Pure.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace annolog::api {

// What all events have in common; component EventHeaders.
nlohmann::json event_headers();

// One type's own: {type, version} and subjects such as task/42.
struct EventKind {
  std::string_view type;
  int version = 1;
  std::string_view aggregate;
};
nlohmann::json event_headers_of(const EventKind& kind);

}  // namespace annolog::api
