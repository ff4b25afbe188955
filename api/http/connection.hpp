// One client connection: reads requests one after another, has each dispatched, writes its answer;
// internal to this folder. Lives on its worker's thread from accept to close. Every wait for the
// client has a deadline, which the worker's sweep enforces.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "api/http/call.hpp"
#include "api/http/reply.hpp"
#include "api/http/request_parser.hpp"
#include "api/http/server_state.hpp"
#include "api/http/websocket_handoff.hpp"

namespace annolog::http {

class Connection final : public BodyReader {
 public:
  Connection(boost::asio::ip::tcp::socket socket, ServerState& state, Worker& worker);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  awaitable<void> run();

  // By the sweep.
  void close_if_late(std::chrono::steady_clock::time_point now);
  // By a graceful stop: closes when it waits between requests.
  void close_if_idle();
  void abort();

  // For the dispatcher.
  awaitable<Result<std::size_t>> read_some(std::span<char> buffer) override;
  std::optional<std::uint64_t> declared_length() const override;
  bool has_body() const { return parser_.has_body(); }
  void limit_body(std::uint64_t bytes) { body_limit_ = bytes; }
  Gate& gate() { return state_.parts.gate; }
  // Nobody reads any more: the other side has closed. Not seen behind a request that was sent
  // ahead.
  bool peer_has_gone();
  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  DetachedConnection take_socket();

 private:
  friend class StreamWriter;
  using Clock = std::chrono::steady_clock;

  // A deadline for a wait: a pause of `pause_ms` at most, and so much in all that the average rate
  // stays above the limit.
  struct Pace {
    std::int64_t waited_ms = 0;
    std::uint64_t bytes = 0;
  };
  Clock::time_point deadline_of(const Pace& pace, std::int64_t pause_ms) const;
  void arm_for(std::int64_t ms) { deadline_ = Clock::now() + std::chrono::milliseconds(ms); }
  void disarm() { deadline_ = Clock::time_point::max(); }

  // connection.cpp
  awaitable<bool> read_head();
  awaitable<std::size_t> read_more();
  awaitable<void> serve();
  awaitable<void> refuse_head();
  awaitable<void> linger();
  void prepare_head();
  void drop(std::size_t bytes);
  std::string_view input() const { return std::string_view(in_).substr(in_begin_, in_size_); }

  // connection_body.cpp
  awaitable<void> answer_expectation();
  awaitable<std::size_t> read_plain(std::span<char> buffer);
  awaitable<Result<std::size_t>> read_chunked(std::span<char> buffer);
  awaitable<bool> drain_body();
  bool body_pending() const { return !body_done_; }

  // response_writer.cpp
  awaitable<void> write_reply(Reply& reply);
  awaitable<void> write_source(Reply& reply);
  awaitable<void> write_stream(Reply& reply);
  awaitable<void> write_all(std::string_view head, std::string_view body);
  void start_head(const Reply& reply, int status);
  void end_head();
  void put_header(std::string_view name, std::string_view value);
  void put_cors();

  ConnectionPlace place_;
  boost::asio::ip::tcp::socket socket_;
  ServerState& state_;
  Worker& worker_;
  boost::asio::ip::address peer_;
  std::string peer_text_;  // as the head shows it, when no proxy says otherwise
  RequestParser parser_;

  std::string in_;  // a buffer; the bytes in use are [in_begin_, in_begin_ + in_size_)
  std::size_t in_begin_ = 0;
  std::size_t in_size_ = 0;
  std::string out_;  // head of an answer, reused

  Clock::time_point deadline_ = Clock::time_point::max();
  bool idle_ = false;      // waits for the first byte of a request
  bool late_ = false;      // a deadline passed
  bool detached_ = false;  // the socket is somebody else's now
  bool keep_ = true;       // another request may follow
  bool broken_ = false;    // no polite end: an answer broke off or the client is gone
  std::size_t requests_ = 0;

  // The request in hand.
  std::uint64_t body_left_ = 0;  // with Content-Length
  std::uint64_t body_read_ = 0;
  std::uint64_t body_limit_ = std::numeric_limits<std::uint64_t>::max();
  bool body_done_ = true;
  bool expects_continue_ = false;
  Pace read_pace_;
  Pace write_pace_;
  std::uint64_t answered_bytes_ = 0;
  int answered_status_ = 0;
};

}  // namespace annolog::http
