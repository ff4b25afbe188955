// Who opens a socket, and may they still have it: a socket lives longer than a request, so it is
// judged again whenever something has changed. Implemented by the token gate (gate.hpp). Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/http/gate.hpp"
#include "domain/support/result.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::api {

// `typ` of the token in the cookie of a browser that is signed in (session_tokens.hpp).
inline constexpr std::string_view kSocketToken = "socket";

// What a client shows: the first of these that it has.
struct Presented {
  std::string api_key;
  std::string token;         // an access token
  std::string cookie_token;  // of a request from the service's own pages alone
  std::string address;
  bool empty() const { return api_key.empty() && token.empty() && cookie_token.empty(); }
};

struct Holder {
  http::Caller caller;
  std::int64_t generation = 0;          // of the user's tokens
  std::string api_key_prefix;           // by_api_key only
  std::optional<Timestamp> expires_at;  // of the token, or of the key
};

class SocketDoor {
 public:
  virtual ~SocketDoor() = default;
  // As a request with it would be (http::Gate::authenticate), but for the operator, who is nobody.
  virtual boost::asio::awaitable<Result<Holder>> admit(const Presented& shown) = 0;
  // The holder's global role now; nothing when the session or key has ended. From memory alone; its
  // expiry is the caller's matter.
  virtual std::optional<Role> still_admits(const Holder& holder) const = 0;
};

}  // namespace annolog::api
