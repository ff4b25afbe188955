// One WebSocket of the load (RFC 6455), as a client has it: it offers compression as browsers do,
// answers pings, and takes whole text frames, which are all that the service sends when they are as
// short as here. Non-blocking once it is open; one thread. What goes wrong, and a close frame,
// throws std::runtime_error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace annolog::bench {

class Socket {
 public:
  // Connects and asks for the socket of `target`, a path with its query.
  Socket(const std::string& host, std::uint16_t port, const std::string& target);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int descriptor() const { return socket_; }
  bool is_open() const { return open_; }  // the handshake was answered
  void say(std::string_view text);
  // Takes in what has come; each text is handed to `heard`.
  using Heard = std::function<void(std::string_view text)>;
  void proceed(const Heard& heard);

 private:
  void take_handshake();
  bool take_frame(const Heard& heard);
  void say_frame(std::uint8_t opcode, std::string_view payload) const;

  int socket_ = -1;
  bool open_ = false;
  std::string received_;
};

}  // namespace annolog::bench
