// How a connection reads request bodies: on demand, counted, with deadlines.
#include <algorithm>
#include <cstring>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/connection.hpp"

namespace annolog::http {

namespace asio = boost::asio;

namespace {

DomainError body_too_large(std::uint64_t limit) {
  return {DomainError::Kind::too_large,
          "BODY_TOO_LARGE",
          "The body is larger than the " + std::to_string(limit) + " bytes allowed here.",
          {{"max_bytes", static_cast<std::int64_t>(limit)}},
          {},
          0};
}

}  // namespace

std::optional<std::uint64_t> Connection::declared_length() const {
  if (parser_.chunked()) return std::nullopt;
  return parser_.content_length().value_or(0);
}

// The client waits for a sign that its body is wanted.
awaitable<void> Connection::answer_expectation() {
  if (!expects_continue_) co_return;
  expects_continue_ = false;
  if (in_size_ == 0) co_await write_all("HTTP/1.1 100 Continue\r\n\r\n", {});
}

awaitable<Result<std::size_t>> Connection::read_some(std::span<char> buffer) {
  if (body_done_ || buffer.empty()) co_return std::size_t{0};
  if (!parser_.chunked() && *parser_.content_length() > body_limit_) {
    keep_ = false;
    co_return body_too_large(body_limit_);
  }
  co_await answer_expectation();
  std::size_t count = 0;
  if (parser_.chunked()) {
    BOOST_OUTCOME_CO_TRY(count, co_await read_chunked(buffer));
  } else {
    count = co_await read_plain(buffer);
  }
  body_read_ += count;
  read_pace_.bytes += count;
  if (body_read_ > body_limit_) {
    keep_ = false;
    co_return body_too_large(body_limit_);
  }
  co_return count;
}

awaitable<std::size_t> Connection::read_plain(std::span<char> buffer) {
  std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), body_left_));
  if (in_size_ != 0) {
    count = std::min(count, in_size_);
    std::memcpy(buffer.data(), input().data(), count);
    drop(count);
  } else {
    const auto before = Clock::now();
    deadline_ = deadline_of(read_pace_, state_.options.limits.body_ms);
    boost::system::error_code error;
    count = co_await socket_.async_read_some(asio::buffer(buffer.data(), count),
                                             asio::redirect_error(asio::use_awaitable, error));
    disarm();
    read_pace_.waited_ms +=
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - before).count();
    if (error || count == 0) throw ClientGone();
  }
  body_left_ -= count;
  body_done_ = body_left_ == 0;
  co_return count;
}

awaitable<Result<std::size_t>> Connection::read_chunked(std::span<char> buffer) {
  while (true) {
    const auto step = parser_.parse_chunks(input(), buffer);
    drop(step.consumed);
    if (step.status == RequestParser::Status::refused) {
      keep_ = false;
      co_return DomainError{DomainError::Kind::bad_request,
                            parser_.refusal().code,
                            parser_.refusal().message,
                            {},
                            {},
                            0};
    }
    body_done_ = step.status == RequestParser::Status::done;
    if (step.produced != 0 || body_done_) co_return step.produced;
    const auto before = Clock::now();
    deadline_ = deadline_of(read_pace_, state_.options.limits.body_ms);
    const std::size_t count = co_await read_more();
    disarm();
    read_pace_.waited_ms +=
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - before).count();
    if (count == 0) throw ClientGone();
  }
}

// Reads away what a handler left, so that the next request can be found.
awaitable<bool> Connection::drain_body() {
  std::array<char, 8192> waste;
  body_limit_ = std::numeric_limits<std::uint64_t>::max();
  while (body_pending()) {
    const auto count = co_await read_some(waste);
    if (!count) co_return false;
  }
  co_return true;
}

}  // namespace annolog::http
