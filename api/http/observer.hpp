// What is told of every request once it is over; access_log.hpp writes and counts it. Called on I/O
// threads, several at once: must be quick and must not throw.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/http/request_head.hpp"
#include "domain/support/ids.hpp"

namespace annolog::http {

struct Route;

struct RequestRecord {
  const RequestHead& head;
  const Route* route = nullptr;  // none: no route has the path
  std::size_t route_index = 0;   // in the table
  int status = 0;                // 0: the connection broke before an answer
  std::uint64_t bytes = 0;       // of the answer's body
  double duration_ms = 0;        // from the head's last byte to the answer's last
  UserId user_id = {};           // 0: nobody
};

class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void finished(const RequestRecord& record) noexcept = 0;
  // A handler let an exception out: `what` is for the log only.
  virtual void failed(const RequestRecord& record, std::string_view what) noexcept = 0;
};

}  // namespace annolog::http
