// A WebSocket client made of a bare socket: it sends exactly the frames it is given, right or
// wrong. Every wait ends after 20 s at the latest.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace annolog::api::realtime {

struct WireFrame {
  int opcode = -1;  // -1: the connection is over
  std::string payload;
  int close_code() const {
    if (opcode != 8 || payload.size() < 2) return 0;
    return static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]);
  }
  std::string close_reason() const { return payload.size() > 2 ? payload.substr(2) : ""; }
};

class WebSocketClient {
 public:
  static constexpr int kText = 1, kClose = 8, kPing = 9, kPong = 10;

  WebSocketClient(std::uint16_t port, const std::string& target, const std::string& headers = {},
                  int receive_buffer_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer_bytes != 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                   sizeof receive_buffer_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    send("GET " + target +
         " HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
         headers + "\r\n");
    while (in_.find("\r\n\r\n") == std::string::npos && more()) {
    }
    const std::size_t end = in_.find("\r\n\r\n");
    head_ = in_.substr(0, end);
    in_.erase(0, end == std::string::npos ? end : end + 4);
  }
  ~WebSocketClient() { ::close(socket_); }
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;

  const std::string& head() const { return head_; }
  bool is_open() const { return head_.starts_with("HTTP/1.1 101"); }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // Masked with zeros, which leaves the payload readable. `first`: FIN, RSV bits and opcode.
  bool send_frame(int first, std::string_view payload) const {
    std::string frame(1, static_cast<char>(first));
    if (payload.size() < 126) {
      frame += static_cast<char>(0x80 | payload.size());
    } else if (payload.size() < 65536) {
      frame += static_cast<char>(0x80 | 126);
      for (int shift = 8; shift >= 0; shift -= 8) frame += byte(payload.size() >> shift);
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame += byte(payload.size() >> shift);
    }
    frame.append(4, '\0');
    frame += payload;
    return send(frame);
  }
  bool say(std::string_view text) const { return send_frame(0x80 | kText, text); }

  // The next frame but pings and pongs.
  WireFrame next() {
    for (;;) {
      WireFrame frame = any();
      if (frame.opcode != kPing && frame.opcode != kPong) return frame;
    }
  }
  // The next message, but {type: ping}; null when the socket is closed.
  nlohmann::json message() {
    for (;;) {
      const WireFrame frame = next();
      if (frame.opcode != kText) {
        closed_ = frame;
        return nullptr;
      }
      auto said = nlohmann::json::parse(frame.payload);
      if (said.value("type", "") != "ping") return said;
    }
  }
  // Reads on until the service closes; 0 when it says nothing.
  int close_code() {
    while (closed_.opcode == -1) {
      const WireFrame frame = next();
      if (frame.opcode == -1) return 0;
      if (frame.opcode == kClose) closed_ = frame;
    }
    return closed_.close_code();
  }
  WireFrame any() {
    if (!have(2)) return {};
    const int opcode = in_[0] & 0x0F;
    std::size_t size = in_[1] & 0x7F;
    std::size_t head = 2;
    if (size >= 126) {
      const std::size_t more = size == 126 ? 2 : 8;
      if (!have(2 + more)) return {};
      size = 0;
      for (std::size_t i = 0; i < more; ++i)
        size = size * 256 + static_cast<unsigned char>(in_[2 + i]);
      head += more;
    }
    if (!have(head + size)) return {};
    WireFrame frame{opcode, in_.substr(head, size)};
    in_.erase(0, head + size);
    return frame;
  }

 private:
  static char byte(std::size_t value) { return static_cast<char>(value & 0xFFU); }
  bool have(std::size_t bytes) {
    while (in_.size() < bytes) {
      if (!more()) return false;
    }
    return true;
  }
  bool more() {
    pollfd poll_on{socket_, POLLIN, 0};
    if (::poll(&poll_on, 1, 20'000) != 1) return false;
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    in_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  std::string head_;
  std::string in_;
  WireFrame closed_;
};

}  // namespace annolog::api::realtime
