// One WebSocket (RFC 6455, with permessage-deflate, RFC 7692) over a connection that a route has
// taken over. It knows frames, not what is in them. All of it on the connection's I/O thread: one
// read() and one write() at a time, the rest at any time. Messages from the client are text, valid
// UTF-8 and within the limit, or the socket is closed with the code that RFC 6455 has for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "api/http/request_head.hpp"
#include "api/http/websocket_handoff.hpp"

namespace annolog::http {

using boost::asio::awaitable;

// Whether the request asks for a WebSocket that can be given (RFC 6455, section 4.2.1).
bool asks_for_websocket(const RequestHead& head);

struct WebSocketLimits {
  std::size_t message_bytes = 64 * 1024;  // also unpacked; more: 1009
  std::size_t compress_from_bytes = 256;  // shorter ones would hardly get smaller
};

class WebSocket {
 public:
  WebSocket(DetachedConnection connection, const WebSocketLimits& limits);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // Called for every ping and pong that comes.
  void on_control(std::function<void()> heard);

  // Answers the handshake. False: it can't be had, the connection is over.
  awaitable<bool> accept();
  // The next message; nothing when the socket has ended, however.
  awaitable<std::optional<std::string>> read();
  // `done` is called later, once the text has been handed to the kernel, or can't be.
  using Done = std::function<void(bool written)>;
  void write(std::shared_ptr<const std::string> text, Done done);
  // A ping frame, which the other side answers by itself. While one is under way: nothing.
  void ping();
  // Says why and waits for the other side to say so too; abort() for those who never do. `reason`
  // has 123 bytes at most. Once.
  void close(std::uint16_t code, std::string_view reason);
  // Ends the connection as it is.
  void abort();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace annolog::http
