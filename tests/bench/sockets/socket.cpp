#include "tests/bench/sockets/socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "tests/bench/sockets/loopback.hpp"

namespace annolog::bench {
namespace {

enum Opcode : std::uint8_t { kText = 1, kClose = 8, kPing = 9, kPong = 10 };

constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::size_t kShort = 126;  // lengths from here on have two bytes of their own

std::string handshake(const std::string& host, const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: " + host +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n";
}

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

}  // namespace

Socket::Socket(const std::string& host, std::uint16_t port, const std::string& target)
    : socket_(connect_to(host, port)) {
  const std::string request = handshake(host, target);
  if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    throw std::system_error(errno, std::generic_category(), "send of a handshake");
  }
  if (::fcntl(socket_, F_SETFL, O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "fcntl");
}

Socket::~Socket() {
  if (socket_ >= 0) ::close(socket_);
}

void Socket::say(std::string_view text) { say_frame(kText, text); }

// The mask of zeros leaves the text as it is: nothing lies between here and the service. What is
// said is far shorter than a socket's buffer.
void Socket::say_frame(std::uint8_t opcode, std::string_view payload) const {
  if (payload.size() > 0xffff) throw std::runtime_error("a message too long for this load");
  std::string frame;
  frame += static_cast<char>(kFinal | opcode);
  if (payload.size() < kShort) {
    frame += static_cast<char>(kMasked | payload.size());
  } else {
    frame += static_cast<char>(kMasked | kShort);
    frame += static_cast<char>(payload.size() >> 8U);
    frame += static_cast<char>(payload.size() & 0xffU);
  }
  frame.append(4, '\0');
  frame += payload;
  if (::send(socket_, frame.data(), frame.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(frame.size())) {
    throw std::system_error(errno, std::generic_category(), "send on a WebSocket");
  }
}

void Socket::proceed(const Heard& heard) {
  std::array<char, 65'536> piece;
  for (;;) {
    const auto n = ::recv(socket_, piece.data(), piece.size(), 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "recv on a WebSocket");
    if (n == 0) throw std::runtime_error("the service ended a WebSocket without a word");
    received_.append(piece.data(), static_cast<std::size_t>(n));
    if (!open_) take_handshake();
    while (open_ && take_frame(heard)) {
    }
  }
}

void Socket::take_handshake() {
  const auto end = received_.find("\r\n\r\n");
  if (end == std::string::npos) return;
  if (!received_.starts_with("HTTP/1.1 101"))
    throw std::runtime_error("no WebSocket: " + received_.substr(0, 300));
  received_.erase(0, end + 4);
  open_ = true;
}

bool Socket::take_frame(const Heard& heard) {
  if (received_.size() < 2) return false;
  const std::uint8_t first = byte_at(received_, 0);
  std::size_t size = byte_at(received_, 1);
  std::size_t head = 2;
  if (size == kShort) {
    if (received_.size() < 4) return false;
    size = static_cast<std::size_t>(byte_at(received_, 2)) << 8U | byte_at(received_, 3);
    head = 4;
  } else if (size > kShort) {
    throw std::runtime_error("a frame longer than this load takes");
  }
  if (received_.size() < head + size) return false;
  const std::string_view payload = std::string_view(received_).substr(head, size);
  switch (first) {
    case kFinal | kText: heard(payload); break;
    case kFinal | kPing: say_frame(kPong, payload); break;
    case kFinal | kPong: break;
    case kFinal | kClose: {
      const unsigned code =
          size < 2 ? 1005U : static_cast<unsigned>(byte_at(payload, 0)) << 8U | byte_at(payload, 1);
      throw std::runtime_error("the service closed a WebSocket: " + std::to_string(code) + " " +
                               std::string(payload.substr(size < 2 ? size : 2)));
    }
    default: throw std::runtime_error("a frame of another kind: " + std::to_string(first));
  }
  received_.erase(0, head + size);
  return true;
}

}  // namespace annolog::bench
