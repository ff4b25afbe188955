// Takes one request from its head to its reply: route, caller, permission, query, body, handler;
// internal to this folder, on the connection's thread. Never throws but for ClientGone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http/call.hpp"
#include "api/http/observer.hpp"
#include "api/http/reply.hpp"
#include "api/http/router.hpp"

namespace annolog::http {

struct ServerState;
struct Findings;
class Connection;

class Dispatcher {
 public:
  Dispatcher(ServerState& state, Connection& connection, const RequestHead& head,
             RequestRecord& record);
  awaitable<Reply> run();

 private:
  struct Answer {
    Reply reply;
    std::optional<DomainError> refusal = {};  // then there is no reply
    int status = 0;                           // of the refusal
  };

  awaitable<Reply> answer();
  Answer failed(std::string_view why);
  awaitable<HandlerResult> handle();
  Reply answer_options(const Endpoint& endpoint) const;
  awaitable<Result<void>> admit();
  Result<void> read_headers();
  Result<void> check_precondition() const;
  Result<void> read_query();
  awaitable<Result<void>> read_body();
  Result<void> check_media_type() const;
  awaitable<Result<std::string>> collect_body(std::uint64_t limit, class BufferShare& share);
  Result<void> bind_body(const std::string& text);
  Result<void> judge(Findings& findings, std::string_view place);

  ServerState& state_;
  Connection& connection_;
  const RequestHead& head_;
  RequestRecord& record_;
  const Route* route_ = nullptr;
  PathParams params_;
  Call call_;
};

}  // namespace annolog::http
