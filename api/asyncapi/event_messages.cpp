#include "api/asyncapi/event_messages.hpp"

#include "api/asyncapi/event_headers.hpp"
#include "api/asyncapi/event_rules.hpp"
#include "api/http/openapi_schema.hpp"
#include "domain/codec/event_meanings.hpp"
#include "domain/codec/events.hpp"

namespace annolog::api {
namespace {

using nlohmann::json;

json message(const EventKind& kind, json payload) {
  const std::string type(kind.type);
  return {{"name", type},
          {"title", type + ", version " + std::to_string(kind.version)},
          {"summary", codec::event_meaning(kind.type)},
          {"tags", json::array({{{"name", kind.aggregate}}})},
          {"contentType", "application/json"},
          {"headers", event_headers_of(kind)},
          {"payload", std::move(payload)},
          {"bindings", {{"$ref", "#/components/messageBindings/event"}}}};
}

template <class E>
void add(EventMessages& all, http::SchemaWriter& schemas) {
  const std::string subject = codec::subject_of(E{});
  const std::string aggregate = subject.substr(0, subject.find('/'));
  const auto schema = http::schema_ptr<E, EventRules>();
  all.messages.emplace(schema->name,
                       message({E::kType, E::kVersion, aggregate}, schemas.reference(*schema)));
}

template <class... Es>
EventMessages make(const std::variant<Es...>*) {
  EventMessages all;
  http::SchemaWriter schemas;
  (add<Es>(all, schemas), ...);
  all.schemas = schemas.components();
  all.schemas["EventHeaders"] = event_headers();
  return all;
}

}  // namespace

EventMessages event_messages() { return make(static_cast<const Event*>(nullptr)); }

}  // namespace annolog::api
