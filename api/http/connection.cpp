#include "api/http/connection.hpp"

#include <algorithm>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/dispatcher.hpp"
#include "api/http/error_reply.hpp"
#include "api/http/tracing.hpp"

namespace annolog::http {
namespace {

constexpr std::size_t kFirstBufferBytes = 4 * 1024;
constexpr std::size_t kReadBytes = 16 * 1024;
constexpr std::size_t kLingerBytes = 16 * 1024 * 1024;

}  // namespace

namespace asio = boost::asio;

Connection::Connection(asio::ip::tcp::socket socket, ServerState& state, Worker& worker)
    : place_(state.connections),
      socket_(std::move(socket)),
      state_(state),
      worker_(worker),
      parser_(state.options.limits.header_bytes, state.options.limits.header_count) {
  worker_.connections.insert(this);
  boost::system::error_code ignored;
  const auto endpoint = socket_.remote_endpoint(ignored);
  if (!ignored) peer_ = endpoint.address();
  peer_text_ = state_.proxies.client(peer_, "");
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

Connection::~Connection() { worker_.connections.erase(this); }

void Connection::close_if_late(Clock::time_point now) {
  if (now < deadline_) return;
  late_ = true;
  disarm();
  if (!detached_) socket_.cancel();
}

void Connection::close_if_idle() {
  if (idle_ && !detached_) socket_.cancel();
}

void Connection::abort() {
  broken_ = true;
  boost::system::error_code ignored;
  if (!detached_) socket_.close(ignored);
}

Connection::Clock::time_point Connection::deadline_of(const Pace& pace,
                                                      std::int64_t pause_ms) const {
  const std::uint64_t rate = std::max<std::uint64_t>(1, state_.options.limits.min_bytes_per_s);
  const auto earned_ms = static_cast<std::int64_t>(pace.bytes / rate * 1000);
  const std::int64_t left_ms = std::max<std::int64_t>(0, pause_ms + earned_ms - pace.waited_ms);
  return Clock::now() + std::chrono::milliseconds(std::min(pause_ms, left_ms));
}

void Connection::drop(std::size_t bytes) {
  in_begin_ += bytes;
  in_size_ -= bytes;
  if (in_size_ != 0) return;
  in_begin_ = 0;
  if (in_.size() > kReadBytes) std::string(kFirstBufferBytes, '\0').swap(in_);
}

// Reads what there is behind the buffered bytes; 0 when the client is gone, too late, or there is
// no room for more.
awaitable<std::size_t> Connection::read_more() {
  const std::size_t most = std::max(state_.options.limits.header_bytes, kReadBytes) + 1;
  if (in_begin_ + in_size_ == in_.size()) {
    if (in_begin_ != 0) {
      in_.erase(0, in_begin_);
      in_begin_ = 0;
    }
    if (in_size_ >= most) co_return 0;
    in_.resize(std::min(most, std::max(kFirstBufferBytes, in_size_ * 2)));
  }
  boost::system::error_code error;
  const std::size_t end = in_begin_ + in_size_;
  const std::size_t count =
      co_await socket_.async_read_some(asio::buffer(in_.data() + end, in_.size() - end),
                                       asio::redirect_error(asio::use_awaitable, error));
  in_size_ += count;
  co_return error ? 0 : count;
}

awaitable<void> Connection::run() {
  while (co_await read_head()) {
    co_await serve();
    if (detached_) co_return;
    if (!keep_ || broken_) break;
  }
  if (!broken_) co_await linger();
}

awaitable<bool> Connection::read_head() {
  parser_.reset();
  late_ = false;
  idle_ = true;
  bool begun = false;
  arm_for(state_.options.limits.idle_ms);
  while (true) {
    // Empty lines before a request are allowed (RFC 9112, section 2.2).
    while (idle_ && in_size_ != 0 && (input().front() == '\r' || input().front() == '\n')) drop(1);
    if (in_size_ != 0) {
      if (idle_) arm_for(state_.options.limits.header_ms);
      idle_ = false;
      begun = true;
      std::size_t consumed = 0;
      const auto status = parser_.parse_head(input(), consumed);
      drop(consumed);
      if (status == RequestParser::Status::refused) {
        co_await refuse_head();
        co_return false;
      }
      if (status == RequestParser::Status::done) break;
    }
    const bool leaves = idle_ && state_.stopping;
    if (leaves || co_await read_more() == 0) {
      if (late_ && begun) {
        late_ = false;
        co_await refuse_head();
      } else {
        broken_ = true;  // nothing is owed to this client
      }
      co_return false;
    }
  }
  disarm();
  co_return true;
}

// The head can't be taken, or did not come in time: an answer, then the end.
awaitable<void> Connection::refuse_head() {
  HeadRefusal refusal = parser_.refusal();
  if (refusal.code.empty()) {
    refusal = {408, "REQUEST_TIMEOUT", "The request's head took too long."};
  }
  RequestHead& head = parser_.head();
  head.request_id = request_id_from(head.header("x-request-id"));
  head.traceparent = traceparent_from(head.header("traceparent"));
  head.client_address = peer_text_;
  keep_ = false;
  Reply reply =
      error_reply(head, {DomainError::Kind::bad_request, refusal.code, refusal.message, {}, {}, 0},
                  refusal.status);
  try {
    co_await write_reply(reply);
  } catch (const ClientGone&) {
    broken_ = true;
  }
  RequestRecord record{.head = head};
  record.status = refusal.status;
  record.bytes = answered_bytes_;
  state_.parts.observer.finished(record);
}

void Connection::prepare_head() {
  RequestHead& head = parser_.head();
  head.request_id = request_id_from(head.header("x-request-id"));
  head.traceparent = traceparent_from(head.header("traceparent"));
  if (state_.proxies.trusts(peer_)) {
    head.client_address = state_.proxies.client(peer_, head.joined("x-forwarded-for"));
    head.over_tls = head.header("x-forwarded-proto") == "https";
  } else {
    head.client_address = peer_text_;
  }
  body_left_ = parser_.content_length().value_or(0);
  body_read_ = 0;
  body_done_ = !parser_.has_body();
  body_limit_ = std::numeric_limits<std::uint64_t>::max();
  expects_continue_ = !head.http_1_0 && !body_done_ && head.has_token("expect", "100-continue");
  read_pace_ = {};
  write_pace_ = {};
  answered_bytes_ = 0;
  answered_status_ = 0;
  keep_ = head.keep_alive && ++requests_ < state_.options.limits.requests_per_connection;
}

awaitable<void> Connection::serve() {
  const auto started = Clock::now();
  prepare_head();
  RequestHead& head = parser_.head();
  RequestRecord record{.head = head};
  try {
    Dispatcher dispatcher(state_, *this, head, record);
    Reply reply = co_await dispatcher.run();
    if (detached_) {
      record.status = 101;
      state_.parts.observer.finished(record);
      co_return;
    }
    // What is left of a body is only worth reading when it is short and on its way.
    const bool short_rest = !parser_.chunked() && body_left_ <= 64 * 1024;
    if (body_pending() && (expects_continue_ || !short_rest)) keep_ = false;
    if (state_.stopping) keep_ = false;
    co_await write_reply(reply);
    if (keep_ && body_pending() && !co_await drain_body()) broken_ = true;
  } catch (const ClientGone&) {
    broken_ = true;
  } catch (const std::exception& error) {  // a streamed answer broke off: only a cut says so
    record.status = answered_status_;
    state_.parts.observer.failed(record, error.what());
    broken_ = true;
  }
  disarm();
  record.status = answered_status_;
  record.bytes = answered_bytes_;
  record.duration_ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
  state_.parts.observer.finished(record);
  if (broken_) abort();
}

// Ends politely: what the client still sends is read and dropped for a while, since closing on
// unread bytes resets the connection and can take the answer with it (RFC 9112, section 9.6).
awaitable<void> Connection::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  if (parser_.refusal().code.empty() && !body_pending() && in_size_ == 0) co_return;
  arm_for(state_.options.limits.linger_ms);
  in_begin_ = in_size_ = 0;
  for (std::size_t dropped = 0; dropped < kLingerBytes && !late_;) {
    const std::size_t count = co_await read_more();
    if (count == 0) break;
    dropped += count;
    in_begin_ = in_size_ = 0;
  }
  disarm();
}

bool Connection::peer_has_gone() {
  char first = 0;
  boost::system::error_code error;
  socket_.receive(asio::buffer(&first, 1), asio::socket_base::message_peek, error);
  return error && error != asio::error::would_block && error != asio::error::try_again;
}

DetachedConnection Connection::take_socket() {
  const RequestHead& head = parser_.head();
  std::string received(head.method_text);
  received.append(" ").append(head.target).append(" HTTP/1.1\r\n");
  for (const HeaderView& field : head.headers) {
    received.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  received.append("\r\n").append(input());
  detached_ = true;
  disarm();
  return {std::move(socket_), std::move(received), std::move(place_)};
}

DetachedConnection Call::take_socket() { return connection_->take_socket(); }

}  // namespace annolog::http
