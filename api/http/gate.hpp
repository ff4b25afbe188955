// Who is calling and may they: implemented by api/ (tokens, API keys, memberships), called by the
// framework for every route that is not open, before any of the body is read. Both methods run on
// the connection's I/O thread: slow work goes through blocking() (blocking.hpp). They may be called
// from several threads at once. Refusals are values; exceptions become 500 or 503.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/http/access.hpp"
#include "api/http/path_params.hpp"
#include "api/http/request_head.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/result.hpp"

namespace annolog::http {

using boost::asio::awaitable;

struct Caller {
  UserId id;                 // 0: nobody (open routes, signed URLs), or the operator
  Role role = Role::viewer;  // global role
  std::string session_id;    // the token's jti, or the API key's id
  bool by_api_key = false;
  bool is_operator = false;
  std::string address;  // RequestHead::client_address
};

class Gate {
 public:
  virtual ~Gate() = default;
  // For all but Access::open, whatever the caller may do. Unauthenticated: kind unauthenticated
  // (401).
  virtual awaitable<Result<Caller>> authenticate(const RequestHead& head, const Access& access) = 0;
  // For Access::needs and Access::operator_only. Not visible: not_found (404); visible, not
  // allowed: forbidden (403).
  virtual awaitable<Result<void>> authorise(const Caller& caller, const Access& access,
                                            const PathParams& params) = 0;
};

}  // namespace annolog::http
