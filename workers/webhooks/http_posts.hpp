// Many HTTP posts at once, over libcurl, in one thread that never waits for a single one. Nobody's
// redirect is followed, no proxy and no cookie is used, TLS is verified, and unless private
// addresses are allowed, no connection is made to one: judged by the address itself, whatever its
// name resolved to a moment before.
//
// All belongs to one thread but wake(). Throws std::runtime_error when libcurl can't start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/webhooks/webhook_url.hpp"

namespace annolog::workers {

struct HttpPost {
  std::string url;
  std::vector<std::string> headers;  // "name: value"
  std::string body;                  // JSON
};

struct HttpPostEnd {
  std::uint64_t token = 0;                  // that start() was given
  std::optional<std::int64_t> status_code;  // none: no answer
  std::string error;                        // why there is none
  std::string response;                     // its beginning, printable
  std::optional<std::int64_t> retry_after_s;
  std::int64_t duration_ms = 0;
};

struct HttpPostLimits {
  std::int64_t timeout_ms = 15'000;        // from the first packet to the last
  std::size_t max_read_bytes = 64 * 1024;  // of an answer; the rest is not waited for
  std::size_t max_kept_bytes = 1024;       // of what was read
  PrivateAddresses private_ones = PrivateAddresses::refused;
  std::string ca_file;  // PEM; empty: the system's roots
};

class HttpPosts {
 public:
  explicit HttpPosts(HttpPostLimits limits);
  ~HttpPosts();
  HttpPosts(const HttpPosts&) = delete;
  HttpPosts& operator=(const HttpPosts&) = delete;

  void start(std::uint64_t token, HttpPost post);
  std::size_t under_way() const;
  // Waits until one has ended, wake() is called, or the time is over; answers those that ended.
  std::vector<HttpPostEnd> wait(std::chrono::milliseconds longest);
  // Any thread.
  void wake();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::workers
