// Health and metrics: what monitoring asks.
#include <boost/describe/class.hpp>

#include "api/routes/tables.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct CheckView {
  std::string status;  // ok or error
  std::string detail;
  std::int64_t latency_ms = 0;
};
BOOST_DESCRIBE_STRUCT(CheckView, (), (status, detail, latency_ms))

struct HealthView {
  std::string status;  // ok, degraded or error
  std::string version;
  std::map<std::string, CheckView> checks;
};
BOOST_DESCRIBE_STRUCT(HealthView, (), (status, version, checks))

struct LiveView {
  std::string status = "ok";
  std::string version;
};
BOOST_DESCRIBE_STRUCT(LiveView, (), (status, version))

namespace {

CheckView run_check(const HealthCheck& check, const platform::Clock& clock) {
  const auto began = clock.monotonic_ms();
  std::string detail;
  const bool ok = check.ok(detail);
  return {ok ? "ok" : "error", std::move(detail), clock.monotonic_ms() - began};
}

// The log down is an error: nothing can be written. Anything else down is a degradation.
constexpr std::string_view kVitalCheck = "event-log";

awaitable<HandlerResult> health(Call&, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto view, co_await http::blocking(services.file_threads, [&] {
                         HealthView all{"ok", services.options.version, {}};
                         for (const auto& check : services.health) {
                           auto result = run_check(check, services.clock);
                           if (result.status != "ok" && all.status != "error") {
                             all.status = check.name == kVitalCheck ? "error" : "degraded";
                           }
                           all.checks.emplace(check.name, std::move(result));
                         }
                         return all;
                       }));
  co_return http::reply(view.status == "error" ? 503 : 200, view);
}

awaitable<HandlerResult> health_of(Call& call, Services& services) {
  const auto name = call.text("check");
  for (const auto& check : services.health) {
    if (check.name != name) continue;
    BOOST_OUTCOME_CO_TRY(auto view, co_await http::blocking(services.file_threads, [&] {
                           return run_check(check, services.clock);
                         }));
    co_return http::reply(view.status == "ok" ? 200 : 503, view);
  }
  co_return not_found("health check");
}

awaitable<HandlerResult> live(Call&, Services& services) {
  co_return http::reply(200, LiveView{"ok", services.options.version});
}

awaitable<HandlerResult> metrics(Call&, Services& services) {
  co_return http::reply_text(platform::Metrics::kContentType, services.metrics.expose());
}

http::Route get(std::string path, std::string id, std::string summary, http::ReplySpec reply,
                http::Handler handler) {
  return {.method = http::Method::get,
          .path = std::move(path),
          .operation_id = std::move(id),
          .summary = std::move(summary),
          .tag = "system",
          .access = http::Access::open(),
          .reply = std::move(reply),
          .handler = std::move(handler)};
}

}  // namespace

http::RouteTable system_routes(Services& services) {
  const auto whole = [&services](Call& call) { return health(call, services); };
  const auto part = [&services](Call& call) { return health_of(call, services); };
  const auto alive = [&services](Call& call) { return live(call, services); };
  const auto measured = [&services](Call& call) { return metrics(call, services); };
  const auto view = http::replies<HealthView>(200);
  const auto check = http::replies<CheckView>(200);
  const auto live_view = http::replies<LiveView>(200);
  return {
      get("/health", "getHealth", "How the service and what it needs are", view, whole),
      get("/health/live", "getLive", "The process answers; touches nothing else", live_view, alive),
      get("/health/{check:text}", "getHealthOf", "One check", check, part),
      get("/api/v1/health", "getApiHealth", "The same as /health", view, whole),
      get("/api/v1/health/live", "getApiLive", "The same as /health/live", live_view, alive),
      get("/api/v1/health/{check:text}", "getApiHealthOf", "The same as /health/{check}", check,
          part),
      get("/metrics", "getMetrics", "Counters in the Prometheus text format",
          http::replies_media({"text/plain"}, "Prometheus text format 0.0.4"), measured),
  };
}

}  // namespace annolog::api
