// Writes one line a request to the log and counts it:
//   http_requests_total{method,route,status}, http_request_duration_seconds{route}
// No query strings, headers or bodies are logged: they hold secrets. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "api/http/observer.hpp"
#include "api/http/router.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"

namespace annolog::http {

class AccessLog final : public RequestObserver {
 public:
  AccessLog(const Router& router, platform::Logger& logger, platform::Metrics& metrics);
  ~AccessLog() override;

  void finished(const RequestRecord& record) noexcept override;
  void failed(const RequestRecord& record, std::string_view what) noexcept override;

 private:
  struct RouteMeters;
  RouteMeters& meters_of(const RequestRecord& record);

  platform::Logger& logger_;
  platform::Metrics& metrics_;
  std::vector<std::unique_ptr<RouteMeters>> meters_;  // by route index; the last: no route
};

}  // namespace annolog::http
