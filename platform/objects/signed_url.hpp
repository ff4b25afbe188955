// URLs that carry their own permission: `/objects/{key}?method=PUT&expires=…&…&signature=…`.
// A URL is bound to one method, one key and an expiry, and on demand to an exact size, a largest
// size, a content type and an MD5. Who holds it may do that one thing until then, and no other.
// Pure but for the MAC it is given; const calls from any thread.
// Refusals of verify():
//   URL_MALFORMED (bad_request)        not such a URL: path, parameter, encoding or number
//   URL_SIGNATURE_INVALID (forbidden)  altered, or signed with a key that is not ours
//   URL_METHOD_MISMATCH (forbidden)    a genuine URL, used with another method
//   URL_EXPIRED (gone)                 a genuine URL, too late
// Source: decisions, section 6.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/result.hpp"
#include "domain/support/timestamp.hpp"
#include "platform/objects/object_key.hpp"

namespace annolog::platform {

struct UrlGrant {
  std::string method;  // GET (which allows HEAD too) or PUT
  ObjectKey key;
  Timestamp expires_at;
  // What a PUT must keep to.
  std::optional<std::uint64_t> size_bytes;  // exactly
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::string> content_type;
  std::optional<std::string> md5_hex;  // 32 lower-case hexadecimal digits

  bool operator==(const UrlGrant&) const = default;
};

class SignedUrls {
 public:
  // A keyed MAC of at least 16 bytes, under a key used for nothing but URLs. Callable from any
  // thread.
  using Mac = std::function<std::string(std::string_view message)>;

  static constexpr std::string_view kPathPrefix = "/objects/";

  // `current` signs; URLs signed by one of `older` are still honoured (key rotation).
  explicit SignedUrls(Mac current, std::vector<Mac> older = {});

  // Path and query, to put behind the public base URL.
  std::string sign(const UrlGrant& grant) const;

  // `target` is path and query as they came in the request line, still encoded.
  Result<UrlGrant> verify(std::string_view method, std::string_view target, Timestamp now) const;

 private:
  std::vector<Mac> macs_;  // current first
};

}  // namespace annolog::platform
