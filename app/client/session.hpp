// Who is asking: the credentials that all threads of a command share, and their renewal.
// Thread-safe: of many threads that meet a 401, one logs in again.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "app/client/call_error.hpp"
#include "app/client/connection.hpp"
#include "app/client/http_session.hpp"

namespace annolog::client {

inline constexpr std::string_view kApiRoot = "/api/v1";

class Session {
 public:
  explicit Session(ConnectionOptions options);

  // The header that authenticates, and the secret it was made from (to tell stale from fresh).
  struct Access {
    std::string header_name;
    std::string header_value;
  };
  Called<Access> access(HttpSession& http);
  // A new access in place of the one the service refused.
  Called<Access> renew(HttpSession& http, const Access& refused);

  const ConnectionOptions& options() const { return options_; }
  const std::string& origin() const { return origin_; }  // no trailing slash, no /api/v1
  void wait(std::chrono::milliseconds delay) const;

 private:
  Called<Access> log_in(HttpSession& http);

  ConnectionOptions options_;
  std::string origin_;
  std::mutex mutex_;
  Access access_;
};

}  // namespace annolog::client
