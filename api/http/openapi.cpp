#include "api/http/openapi.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <boost/describe/enum_to_string.hpp>
#include <nlohmann/json.hpp>

#include "api/http/error_reply.hpp"
#include "api/http/openapi_schema.hpp"
#include "api/http/router.hpp"

namespace annolog::http {
namespace {

using nlohmann::json;

constexpr std::string_view kEventStream = "text/event-stream";

json path_parameter(const TemplateParam& param) {
  json schema{{"type", "string"}};
  if (param.kind == ParamKind::id || param.kind == ParamKind::integer) {
    schema = {
        {"type", "integer"}, {"minimum", param.kind == ParamKind::id ? 1 : 0}, {"maximum", kMaxId}};
  }
  return {{"name", param.name}, {"in", "path"}, {"required", true}, {"schema", std::move(schema)}};
}

// {a:text} becomes {a}; adds the parameters to `parameters`.
std::string plain_path(const std::string& path, json& parameters) {
  std::string out;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string segment = path.substr(at, end - at);
    out += '/';
    if (const auto param = parse_segment(segment)) {
      out += "{" + param->name + "}" + param->suffix;
      parameters.push_back(path_parameter(*param));
    } else {
      out += segment;
    }
    at = end + 1;
  }
  return out;
}

void add_query(const Route& route, SchemaWriter& schemas, json& parameters) {
  if (!route.query) return;
  for (const Property& property : route.query.schema->properties) {
    Schema schema = *property.schema;
    schema.nullable = false;
    json parameter{{"name", property.name}, {"in", "query"}, {"schema", schemas.reference(schema)}};
    if (property.required) parameter["required"] = true;
    if (!property.description.empty()) parameter["description"] = property.description;
    if (!property.default_json.empty()) {
      parameter["schema"]["default"] = json::parse(property.default_json);
    }
    parameters.push_back(std::move(parameter));
  }
}

bool is_write(const Route& route) { return route.method != Method::get; }

void add_headers(const Route& route, json& parameters) {
  const auto add = [&](const char* name) {
    parameters.push_back({{"$ref", std::string("#/components/parameters/") + name}});
  };
  if (std::ranges::find(route.reply.media_types, kEventStream) != route.reply.media_types.end())
    add("LastEventId");
  if (route.access.kind() != Access::Kind::needs) return;
  if (!is_write(route)) {
    add("EventPosition");
    return;
  }
  add("IdempotencyKey");
  if (route.if_match) add("IfMatch");
}

json request_body(const Route& route, SchemaWriter& schemas) {
  json body{{"required", !route.body.optional}};
  if (!route.body.description.empty()) body["description"] = route.body.description;
  if (route.body.kind == Body::Kind::json) {
    body["content"]["application/json"]["schema"] = schemas.reference(*route.body.input.schema);
    return body;
  }
  if (route.body.media_types.empty()) body["content"]["*/*"] = json::object();
  for (const std::string& type : route.body.media_types) body["content"][type] = json::object();
  return body;
}

json success_reply(const Route& route, SchemaWriter& schemas) {
  const ReplySpec& spec = route.reply;
  json reply{{"description", spec.description.empty() ? std::string(reason_phrase(spec.status))
                                                      : spec.description}};
  for (const std::string& type : spec.media_types) {
    auto& content = reply["content"][type] = json::object();
    if (spec.schema && type == kJsonType) {
      content["schema"] = schemas.reference(*spec.schema);
    } else if (type == kEventStream) {
      content["schema"] = {{"type", "string"}};
    }
  }
  return reply;
}

void add_parts(json& all) {
  all["206"] = json(all["200"]);
  all["206"]["description"] = "The part that Range names.";
  all["304"] = {{"description", "The bytes are those of If-None-Match."}};
  all["416"] = {{"$ref", "#/components/responses/Error"}};
}

json replies_of(const Route& route, const json& parameters, SchemaWriter& schemas) {
  json all{{std::to_string(route.reply.status), success_reply(route, schemas)}};
  const auto fails = [&](const char* status) {
    all[status] = {{"$ref", "#/components/responses/Error"}};
  };
  if (route.reply.in_parts) add_parts(all);
  if (route.body.kind != Body::Kind::none) {
    for (const char* status : {"400", "413", "415", "422"}) fails(status);
  }
  if (route.query) fails("422");
  if (!parameters.empty()) fails("404");
  if (is_write(route)) fails("409");
  if (route.if_match) fails("412");
  if (!route.reply.later_when.empty()) {
    auto& later = all["202"];
    later["description"] = route.reply.later_when;
    later["headers"]["Location"] = {{"description", "Where the progress shows."},
                                    {"schema", {{"type", "string"}}}};
    if (route.reply.later) {
      later["content"]["application/json"]["schema"] = schemas.reference(*route.reply.later);
    }
  }
  if (!route.reply.nothing_when.empty()) all["204"] = {{"description", route.reply.nothing_when}};
  if (route.access.kind() != Access::Kind::open) {
    fails("401");
    fails("403");
  }
  fails("503");
  fails("default");
  return all;
}

json operation(const Route& route, json parameters, SchemaWriter& schemas) {
  const bool has_path_parameters = !parameters.empty();
  json out{{"operationId", route.operation_id}, {"summary", route.summary}, {"tags", {route.tag}}};
  if (!route.description.empty()) out["description"] = route.description;
  out["responses"] = replies_of(route, has_path_parameters ? parameters : json::array(), schemas);
  add_query(route, schemas, parameters);
  add_headers(route, parameters);
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (route.body.kind != Body::Kind::none) out["requestBody"] = request_body(route, schemas);
  if (route.access.kind() == Access::Kind::needs) {
    out["security"] = json::array({{{"bearer", json::array()}}, {{"apiKey", json::array()}}});
    out["x-action"] = boost::describe::enum_to_string(route.access.action(), "");
  } else if (route.access.kind() == Access::Kind::operator_only) {
    out["security"] = json::array({{{"bearer", json::array()}}});
    out["x-operator-only"] = true;
  } else {
    out["security"] = json::array();
    if (route.access.kind() == Access::Kind::signed_url) out["x-signed-url"] = true;
  }
  return out;
}

json header_parameter(const char* name, const char* description) {
  return {{"name", name},
          {"in", "header"},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

json components(const SchemaWriter& schemas) {
  json all;
  all["schemas"] = schemas.components();
  all["schemas"]["Error"] = json::parse(R"({"type":"object","required":["detail"],"properties":{
    "detail":{"oneOf":[{"type":"string"},{"type":"object","required":["code","message"],
      "properties":{"code":{"type":"string"},"message":{"type":"string"},
        "errors":{"type":"array","items":{"type":"object","required":["loc","msg","type"],
          "properties":{"loc":{"type":"array","items":{"type":["string","integer"]}},
            "msg":{"type":"string"},"type":{"type":"string"}}}}}}]}}})");
  all["responses"]["Error"] = {
      {"description", "A refusal. With Accept: application/problem+json as RFC 9457."},
      {"content", {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
  all["parameters"]["IdempotencyKey"] = header_parameter(
      "Idempotency-Key", "1 to 128 printable characters; a retry gives the first outcome again.");
  all["parameters"]["IfMatch"] =
      header_parameter("If-Match", "The ETag that was read; 412 when the resource has changed.");
  all["parameters"]["EventPosition"] = header_parameter(
      "X-Event-Position", "Of an earlier write; the read waits until it is visible.");
  all["parameters"]["LastEventId"] = header_parameter(
      "Last-Event-ID",
      "Of a stream: the id of the last event that was heard; it goes on behind it.");
  all["securitySchemes"] = {
      {"bearer", {{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}}},
      {"apiKey", {{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}}};
  return all;
}

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

}  // namespace

std::string openapi_document(const RouteTable& routes, const ApiInfo& info) {
  SchemaWriter schemas;
  std::set<std::string> ids;
  std::set<std::string> tags;
  json document{{"openapi", "3.1.0"},
                {"info", {{"title", info.title}, {"version", info.version}}},
                {"servers", json::array({{{"url", info.server_url}}})},
                {"paths", json::object()}};
  if (!info.description.empty()) document["info"]["description"] = info.description;
  for (const Route& route : routes) {
    if (route.upgrades) continue;
    if (!ids.insert(route.operation_id).second) {
      throw std::logic_error("an operation id is given twice: " + route.operation_id);
    }
    tags.insert(route.tag);
    json parameters = json::array();
    const std::string path = plain_path(route.path, parameters);
    document["paths"][path][lower(to_string(route.method))] =
        operation(route, std::move(parameters), schemas);
  }
  document["tags"] = json::array();
  for (const std::string& tag : tags) document["tags"].push_back({{"name", tag}});
  document["components"] = components(schemas);
  return document.dump(2) + "\n";
}

}  // namespace annolog::http
