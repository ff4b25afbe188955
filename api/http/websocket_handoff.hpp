// How a WebSocket route takes its socket over: after Call::take_socket() the connection neither
// reads nor writes it any more. On the socket's own executor (call.executor()) only.
#pragma once

#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace annolog::http {

struct DetachedConnection {
  boost::asio::ip::tcp::socket socket;
  // The request's head as bytes and what was read behind it: give it to Beast's
  // websocket::stream::async_accept(buffers), which answers the handshake.
  std::string received;
};

}  // namespace annolog::http
