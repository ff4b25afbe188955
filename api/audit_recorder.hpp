// The rows of requests that no command carries (api/http/request_recorder.hpp). The caller hears
// of the answer once the row is durable, or can't be had: a log that takes nothing, or a flood of
// requests from nobody, which may not fill it.
#pragma once

#include "api/http/request_recorder.hpp"
#include "api/services.hpp"
#include "platform/rate_limiter.hpp"

namespace annolog::api {

class AuditRecorder final : public http::RequestRecorder {
 public:
  // `anonymous_per_minute`: rows of callers who are nobody, for each client address.
  AuditRecorder(Services& services, std::int64_t anonymous_per_minute);

  http::awaitable<std::optional<DomainError>> record(http::Call& call, int status,
                                                     const DomainError* refusal) override;

 private:
  http::awaitable<std::optional<DomainError>> send(http::Call& call, int status,
                                                   const DomainError* refusal);

  Services& services_;
  platform::RateLimiter anonymous_;
  platform::Counter flooded_;
  platform::Counter lost_;
};

}  // namespace annolog::api
