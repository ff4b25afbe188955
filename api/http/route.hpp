// One entry of a resource's route table. The same entry drives dispatch, authorisation, validation
// and the OpenAPI document. Tables are built once at start and never changed; any thread reads
// them.
//
//   Route{.method = Method::post,
//         .path = "/api/v1/tasks/{task_id}/review/reject",
//         .operation_id = "rejectTask",
//         .summary = "Rejects a task in review",
//         .tag = "review",
//         .access = Access::needs(Action::review, Scope::task),
//         .body = Body::json<RejectTaskBody>(),
//         .reply = replies<TaskView>(200),
//         .handler = [&](Call& call) -> awaitable<HandlerResult> { ... }}
//
// Path templates: literal segments (which may end in a verb, /tracks:merge), and parameters, which
// may be followed by one ({annotation_id}:propagate).
//   {id}, {..._id}  an id: 1 .. 2^53 - 1, anything else is a 404
//   {name:int}      an integer from 0 on     {name:text} or {name}  any text of one segment
//   {name:path}     the rest of the path, with its slashes; last segment only
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/http/access.hpp"
#include "api/http/call.hpp"
#include "api/http/reply.hpp"
#include "api/http/schema_of.hpp"

namespace annolog::http {

// What a route takes as its request body.
struct Body {
  enum class Kind : std::uint8_t { none, json, stream };
  Kind kind = Kind::none;
  InputSchema input;                     // json
  bool optional = false;                 // json: an absent body is read as {}
  std::vector<std::string> media_types;  // stream; empty: any
  std::uint64_t max_bytes = 0;           // 0: the server's max_body_bytes
  std::string description = {};

  static Body none() { return {}; }
  template <class T>
  static Body json(std::uint64_t max_bytes = 0) {
    return {Kind::json, schema_of<T>(), false, {}, max_bytes, {}};
  }
  template <class T>
  static Body optional_json(std::uint64_t max_bytes = 0) {
    return {Kind::json, schema_of<T>(), true, {}, max_bytes, {}};
  }
  // Handed to the handler as it arrives: call.body_reader().
  static Body stream(std::vector<std::string> media_types, std::uint64_t max_bytes,
                     std::string description = {}) {
    return {Kind::stream, {}, false, std::move(media_types), max_bytes, std::move(description)};
  }
};

// What a route answers when all goes well; for the OpenAPI document.
struct ReplySpec {
  int status = 200;
  std::shared_ptr<const Schema> schema;  // of JSON; none: no body, or one that is something else
  std::vector<std::string> media_types = {"application/json"};  // one of them
  std::string description = {};
  std::string nothing_when = {};  // also answers 204: says when
  std::string later_when = {};    // also answers 202, with a Location: says when
  std::shared_ptr<const Schema> later = {};
  bool in_parts = false;  // takes Range and If-None-Match, too
};

template <class T>
ReplySpec replies(int status, std::string description = {}) {
  return {status, schema_of<T>().schema, {"application/json"}, std::move(description)};
}
inline ReplySpec replies_nothing(int status = 204) { return {status, nullptr, {}, {}}; }
// 202 with a T and a Location besides.
template <class T>
ReplySpec or_later(ReplySpec spec, std::string when) {
  spec.later_when = std::move(when);
  spec.later = schema_of<T>().schema;
  return spec;
}
// The same as another media type besides, for whom asks for it by Accept.
inline ReplySpec or_as(ReplySpec spec, std::string media_type) {
  spec.media_types.push_back(std::move(media_type));
  return spec;
}
inline ReplySpec redirects(std::string description) {
  return {302, nullptr, {}, std::move(description)};
}
// No JSON of a schema, but a file or a text of one of these types.
inline ReplySpec replies_media(std::vector<std::string> media_types, std::string description = {}) {
  return {200, nullptr, std::move(media_types), std::move(description)};
}
// Bytes of any type, whole or a part of them.
inline ReplySpec replies_bytes(std::string description) {
  ReplySpec spec = replies_media({"*/*"}, std::move(description));
  spec.in_parts = true;
  return spec;
}

template <class T>
InputSchema query_of() {
  return schema_of<T>();
}

using Handler = std::function<awaitable<HandlerResult>(Call&)>;

struct Route {
  Method method;
  std::string path;
  std::string operation_id;
  std::string summary;
  std::string tag;
  Access access;
  // What the audit calls it, <resource>.<verb>: each request leaves a row. Every route that writes
  // has one; all_routes() sees to it.
  std::string action = {};
  std::string target = {};  // what it happens to, where the access's scope is another
  InputSchema query = {};
  Body body = Body::none();
  ReplySpec reply = {};
  std::string description = {};
  bool if_match = false;     // the resource has a version; else PATCH and DELETE refuse If-Match
  bool secret_path = false;  // a parameter is a secret: the log gets the template instead
  bool upgrades = false;     // a WebSocket route: left out of the OpenAPI document
  Handler handler;
};

using RouteTable = std::vector<Route>;

}  // namespace annolog::http
