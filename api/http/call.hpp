// One request on its way through a handler: who calls, what the path, query and body said (already
// checked against the route's schemas), and the connection's means. Valid until the handler's reply
// has been written; only on the connection's I/O thread, never from a pool thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "api/http/etag.hpp"
#include "api/http/gate.hpp"
#include "api/http/json_input.hpp"
#include "api/http/path_params.hpp"
#include "api/http/request_head.hpp"
#include "domain/audit/request.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::http {

struct Route;
struct DetachedConnection;

// The bytes of a streamed request body, with back-pressure: nothing is read before it is asked for.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // Up to buffer.size() bytes; 0 at the end. Refusals: 413 past the route's limit, 400 for broken
  // chunks. Throws ClientGone when the client stops sending or is too slow.
  virtual awaitable<Result<std::size_t>> read_some(std::span<char> buffer) = 0;
  // As Content-Length says; nullopt when chunked.
  virtual std::optional<std::uint64_t> declared_length() const = 0;
};

// What the audit is to say of the request beside what its head and route say.
struct CallAudit {
  RequestDetail detail;
  std::optional<std::int64_t> target_id;  // where no shard that decides the command finds it
  std::optional<UserId> actor;            // of an open route: who signed in by it
  std::string key_id;                     // of that person, whom the directory may not know yet
  Role role = Role::viewer;
  bool at_end = false;  // its status is known only when it is answered: no command carries its row
  bool recorded = false;        // its row is written
  bool refused_by_log = false;  // the log took no command: nor would it take the row
};

class Call {
 public:
  const RequestHead& head() const { return *head_; }
  const Route& route() const { return *route_; }
  const Caller& caller() const { return caller_; }
  const PathParams& path() const { return *path_; }
  Timestamp now() const { return now_; }  // when the request arrived
  boost::asio::any_io_executor executor() const { return executor_; }

  // An id parameter of the path: call.id<TaskId>("task_id"). Checked: 1 .. 2^53 - 1.
  template <class IdType>
  IdType id(std::string_view name) const {
    return IdType{path_->number(name)};
  }
  std::int64_t number(std::string_view name) const { return path_->number(name); }
  std::string_view text(std::string_view name) const { return path_->text(name); }

  // T is the type that the route's table names; another one aborts.
  template <class T>
  const T& query() const {
    return query_.get<T>();
  }
  template <class T>
  const T& body() const {
    return body_.get<T>();
  }
  // Only for routes with a streamed body.
  BodyReader& body_reader() const { return *reader_; }

  // Idempotency-Key; already checked (1..128 printable characters).
  const std::optional<std::string>& idempotency_key() const { return idempotency_key_; }
  CallAudit& audit() { return audit_; }
  const CallAudit& audit() const { return audit_; }
  const IfMatch& if_match() const { return if_match_; }
  std::optional<std::string_view> event_position() const {
    return head_->header("x-event-position");
  }
  const std::string& request_id() const { return head_->request_id; }
  const std::string& traceparent() const { return head_->traceparent; }
  // Members of the body that its schema does not have, e.g. {"shapes", 0, "colour"}.
  const std::vector<Location>& ignored_fields() const { return ignored_; }
  // Adds those that its schema has but nothing needs here, e.g. the width of a polygon. An error
  // where the client wants none to be ignored.
  Result<void> ignore(std::vector<Location> fields);

  // For answers that take long. Whether the caller would be let in now: else as at the beginning.
  awaitable<Result<void>> admit_again() const;
  bool client_has_gone() const;

  // Takes the socket out of the connection, for WebSocket routes: what is sent and read from now on
  // is the handler's matter, its reply is not written. See websocket_handoff.hpp.
  DetachedConnection take_socket();

 private:
  friend class Connection;
  friend class Dispatcher;

  const RequestHead* head_ = nullptr;
  const Route* route_ = nullptr;
  const PathParams* path_ = nullptr;
  Caller caller_;
  Timestamp now_;
  boost::asio::any_io_executor executor_;
  BoundInput query_;
  BoundInput body_;
  BodyReader* reader_ = nullptr;
  std::optional<std::string> idempotency_key_;
  IfMatch if_match_;
  CallAudit audit_;
  std::vector<Location> ignored_;
  class Connection* connection_ = nullptr;
};

}  // namespace annolog::http
