// The head of one HTTP request as it was received: read-only, owned by its connection, valid until
// the request has been answered. Only the connection's I/O thread touches it.
// Sources: RFC 9110, RFC 9112.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annolog::http {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };
std::string_view to_string(Method method);
Method method_from(std::string_view text);

struct HeaderView {
  std::string_view name;   // lower case
  std::string_view value;  // without surrounding blanks
};

struct RequestHead {
  Method method = Method::other;
  std::string_view method_text;
  std::string_view target;  // as sent; may hold secrets (signed URLs, tokens): never log it
  std::string_view path;    // before '?', still percent-encoded
  std::string_view query;   // after '?', still percent-encoded
  bool http_1_0 = false;
  bool keep_alive = true;
  std::vector<HeaderView> headers;

  std::string client_address;  // the peer, or the last untrusted hop before trusted proxies
  bool over_tls = false;       // X-Forwarded-Proto: https from a trusted proxy
  std::string request_id;
  std::string traceparent;  // of this service's own span

  // First value of a header (name in lower case); nullopt when absent.
  std::optional<std::string_view> header(std::string_view name) const;
  // All values joined with ", "; empty when absent.
  std::string joined(std::string_view name) const;
  // One cookie's value.
  std::optional<std::string_view> cookie(std::string_view name) const;
  // Is the word in the comma-separated list of this header? Case-insensitive.
  bool has_token(std::string_view name, std::string_view word) const;
  bool prefers_strict() const {  // RFC 7240: a value may stand in quotes
    return has_token("prefer", "handling=strict") || has_token("prefer", R"(handling="strict")");
  }
};

}  // namespace annolog::http
