// One HTTP connection at a time over libcurl: request in, reply out, bodies streamed from and to
// where the caller wants. Not thread-safe; each thread has its own. No retries here.
// HTTP semantics: RFC 9110. Redirects are not followed; only http and https are spoken.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace annolog::client {

inline constexpr std::size_t kReplyBytesMax = 64u << 20;
inline constexpr long kConnectTimeoutS = 10;
inline constexpr long kStalledTimeoutS = 60;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;                 // sent unless body_file is set
  std::filesystem::path body_file;  // streamed, never held in memory
  std::uint64_t body_file_bytes = 0;
  // Takes the body of a 2xx reply piece by piece; false ends the transfer as failed. Other replies,
  // and all when it is empty, are collected in HttpReply::body up to kReplyBytesMax.
  std::function<bool(std::string_view)> sink;
  // Called with bytes sent since the last call.
  std::function<void(std::uint64_t)> on_sent;
  long stalled_timeout_s = kStalledTimeoutS;  // less than a byte a second for so long ends it
};

struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  const std::string* header(const std::string& lower_name) const;
};

// The exchange did not complete: no connection, cut off, too slow, body shorter than promised.
struct TransportError {
  std::string message;
  bool retriable = true;  // false: a malformed URL, an untrusted certificate, a refused sink
};

class HttpSession {
 public:
  explicit HttpSession(std::string ca_file = {});
  ~HttpSession();
  HttpSession(HttpSession&&) noexcept;
  HttpSession& operator=(HttpSession&&) noexcept;

  std::variant<HttpReply, TransportError> perform(const HttpRequest& request);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::string ca_file_;
};

// Percent-encodes all but RFC 3986's unreserved characters.
std::string url_encode(std::string_view text);

}  // namespace annolog::client
