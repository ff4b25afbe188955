// Leaves the audit's row of a request whose route has an action and that no command has recorded:
// refused before one was sent, or answered with a status that is known only at the end. Called
// before the answer is written, on the connection's I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "api/http/call.hpp"
#include "api/http/reply.hpp"

namespace annolog::http {

class RequestRecorder {
 public:
  virtual ~RequestRecorder() = default;
  // `refusal`: why it was refused; null: it was not. Returns why there is no row, or perhaps none;
  // nothing when there is one, or shall be none. Never throws.
  virtual awaitable<std::optional<DomainError>> record(Call& call, int status,
                                                       const DomainError* refusal) = 0;
};

}  // namespace annolog::http
