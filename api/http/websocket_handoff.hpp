// How a WebSocket route takes its socket over: after Call::take_socket() the connection neither
// reads nor writes it any more. On the socket's own executor (call.executor()) only.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include <boost/asio/ip/tcp.hpp>

namespace annolog::http {

// One of the server's open connections: as long as it is held it counts, against the limit and for
// a stop that waits until all have ended. Outlived by the server. Any thread.
class ConnectionPlace {
 public:
  // One that `count` has already been raised for.
  explicit ConnectionPlace(std::atomic<std::size_t>& count) : count_(&count) {}
  ConnectionPlace(ConnectionPlace&& other) noexcept
      : count_(std::exchange(other.count_, nullptr)) {}
  ConnectionPlace& operator=(ConnectionPlace&&) = delete;
  ~ConnectionPlace() {
    if (count_ != nullptr) --*count_;
  }

 private:
  std::atomic<std::size_t>* count_;
};

struct DetachedConnection {
  boost::asio::ip::tcp::socket socket;
  // The request's head as bytes and what was read behind it, for the handshake (websocket.hpp).
  std::string received;
  ConnectionPlace place;
};

}  // namespace annolog::http
