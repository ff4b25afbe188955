#include "api/http/access_log.hpp"

#include <map>
#include <string>

namespace annolog::http {

struct AccessLog::RouteMeters {
  explicit RouteMeters(std::string route_name, platform::Metrics& metrics)
      : name(std::move(route_name)),
        duration(metrics.histogram({"http_request_duration_seconds",
                                    "Time from a request's head to its answer's last byte.",
                                    {{"route", name}}})) {}

  // A handle per method and status, made at its first request.
  platform::Counter counter(platform::Metrics& metrics, Method method, int status) {
    const std::scoped_lock lock(mutex);
    const auto key = std::make_pair(method, status);
    auto found = counters.find(key);
    if (found == counters.end()) {
      found = counters
                  .emplace(key, metrics.counter({"http_requests_total",
                                                 "Requests answered.",
                                                 {{"method", std::string(to_string(method))},
                                                  {"route", name},
                                                  {"status", std::to_string(status)}}}))
                  .first;
    }
    return found->second;
  }

  std::string name;
  platform::Histogram duration;
  std::mutex mutex;
  std::map<std::pair<Method, int>, platform::Counter> counters;
};

AccessLog::AccessLog(const Router& router, platform::Logger& logger, platform::Metrics& metrics)
    : logger_(logger), metrics_(metrics) {
  for (const Route& route : router.routes()) {
    meters_.push_back(std::make_unique<RouteMeters>(route.path, metrics));
  }
  meters_.push_back(std::make_unique<RouteMeters>("unmatched", metrics));
}

AccessLog::~AccessLog() = default;

AccessLog::RouteMeters& AccessLog::meters_of(const RequestRecord& record) {
  return record.route != nullptr ? *meters_.at(record.route_index) : *meters_.back();
}

void AccessLog::finished(const RequestRecord& record) noexcept {
  try {
    RouteMeters& meters = meters_of(record);
    meters.counter(metrics_, record.head.method, record.status).add();
    meters.duration.observe(record.duration_ms / 1000);
    if (!logger_.enabled(platform::LogLevel::info)) return;
    const bool secret = record.route != nullptr && record.route->secret_path;
    const std::string_view path = secret ? std::string_view(meters.name) : record.head.path;
    logger_.info("request", {{"method", to_string(record.head.method)},
                             {"route", meters.name},
                             {"path", path},
                             {"status", record.status},
                             {"bytes", record.bytes},
                             {"duration_ms", record.duration_ms},
                             {"user_id", record.user_id.value},
                             {"request_id", record.head.request_id},
                             {"trace", record.head.traceparent},
                             {"client_address", record.head.client_address}});
  } catch (const std::exception& error) {
    logger_.error("a request could not be counted", {{"error", error.what()}});
  }
}

void AccessLog::failed(const RequestRecord& record, std::string_view what) noexcept {
  logger_.error("a request failed",
                {{"method", to_string(record.head.method)},
                 {"route", record.route != nullptr ? std::string_view(record.route->path) : ""},
                 {"request_id", record.head.request_id},
                 {"error", what}});
}

}  // namespace annolog::http
