// The WebSockets of the specification ("Channels and sockets"), and the same below /api/v1.
// A request for one is judged in two parts: what any page of any origin may ask for, here and by
// HTTP's own answers; who asks, on the socket (api/realtime), since browsers tell their programs
// nothing but close codes.
#include <algorithm>
#include <utility>

#include "api/auth/session_tokens.hpp"
#include "api/auth/socket_door.hpp"
#include "api/http/query_string.hpp"
#include "api/http/websocket.hpp"
#include "api/realtime/hub.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "domain/support/text.hpp"

namespace annolog::api {
namespace {

using realtime::SocketKind;

constexpr int kUpgradeRequired = 426;

// Where a URL lies: scheme, host and port.
std::string origin_of(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return {};
  return lower_ascii(url.substr(0, url.find('/', scheme_end + 3)));
}

// The page is one of the service's own: the browser names the host that it asked, or the one under
// which the service is known.
bool is_same_origin(std::string_view origin, const Call& call, const Services& services) {
  const std::string named = lower_ascii(origin);
  if (named == origin_of(services.options.public_url)) return true;
  const std::string host = lower_ascii(call.head().header("host").value_or(""));
  return !host.empty() && (named == "http://" + host || named == "https://" + host);
}

bool is_allowed_origin(std::string_view origin, const Call& call, const Services& services) {
  const auto& allowed = services.options.cors_origins;
  return is_same_origin(origin, call, services) || std::ranges::count(allowed, "*") > 0 ||
         std::ranges::count(allowed, origin) > 0;
}

Presented presented(const Call& call, const Services& services, SocketKind kind) {
  const auto& head = call.head();
  Presented shown;
  shown.api_key = head.header("x-api-key").value_or("");
  shown.token = http::query_value(head.query, "token").value_or("");
  shown.address = head.client_address;
  // The browser sends its cookies for any page: only from the service's own they mean anything.
  const auto origin = head.header("origin");
  if (rule_of(kind).takes_cookie && origin && is_same_origin(*origin, call, services))
    shown.cookie_token = head.cookie(kSocketCookie).value_or("");
  return shown;
}

http::Reply upgrade_required() {
  return http::reply_json_text(kUpgradeRequired,
                               R"({"detail":{"code":"UPGRADE_REQUIRED",)"
                               R"("message":"This is a WebSocket, of version 13."}})")
      .header("Upgrade", "websocket")
      .header("Sec-WebSocket-Version", "13");
}

awaitable<HandlerResult> open_socket(Call& call, Services& services, SocketKind kind,
                                     std::string_view id) {
  if (!http::asks_for_websocket(call.head())) co_return upgrade_required();
  const auto origin = call.head().header("origin");
  if (origin && !is_allowed_origin(*origin, call, services)) {
    co_return DomainError{DomainError::Kind::forbidden,
                          "ORIGIN_NOT_ALLOWED",
                          "Pages of this origin may not open sockets here.",
                          {},
                          {},
                          0};
  }
  realtime::Opening opening{.kind = kind,
                            .id = id.empty() ? 0 : call.number(id),
                            .shown = presented(call, services, kind)};
  services.sockets.serve(call.take_socket(), std::move(opening));
  co_return http::no_content();  // of which nothing is written: the socket is taken
}

struct SocketPath {
  const char* path;
  const char* operation_id;
  const char* summary;
  SocketKind kind;
  std::string_view id;  // the parameter that names what it is about
};

constexpr SocketPath kPaths[] = {
    {"/ws", "openSocket", "Any channels, subscribed one by one", SocketKind::multiplexed, ""},
    {"/ws/notifications", "openNotificationSocket", "The caller's notifications",
     SocketKind::notifications, ""},
    {"/ws/projects/{project_id}/preannotate", "openPreannotationSocket",
     "Progress of a project's pre-annotation", SocketKind::preannotate, "project_id"},
    {"/ws/video-tracker-jobs/{job_id}", "openTrackerJobSocket", "Events of a tracker job",
     SocketKind::tracker_job, "job_id"},
    {"/ws/prediction-jobs", "openPredictionJobSocket", "Progress of all prediction jobs",
     SocketKind::prediction_jobs, ""},
};

http::Route route(Services& services, const SocketPath& socket, const std::string& path,
                  const std::string& operation_id) {
  return {.method = http::Method::get,
          .path = path,
          .operation_id = operation_id,
          .summary = socket.summary,
          .tag = "realtime",
          .access = http::Access::open(),
          .upgrades = true,
          .handler = [&services, kind = socket.kind, id = socket.id](Call& call) {
            return open_socket(call, services, kind, id);
          }};
}

}  // namespace

http::RouteTable socket_routes(Services& services) {
  http::RouteTable table;
  for (const SocketPath& socket : kPaths) {
    const std::string path = socket.path;
    const std::string id = socket.operation_id;
    table.push_back(route(services, socket, path, id));
    table.push_back(route(services, socket, "/api/v1" + path, id + "Alias"));
  }
  return table;
}

}  // namespace annolog::api
