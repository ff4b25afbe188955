#include "tests/bench/load/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace annolog::bench {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// The value of a header whose name is given in lower case; empty when it is not there.
std::string_view header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const auto line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    auto value = line.substr(name.size() + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return value;
  }
  return {};
}

}  // namespace

Connection::Connection(const std::string& host, std::uint16_t port) : host_(host), port_(port) {
  open();
}

Connection::~Connection() { close(); }

void Connection::reopen() {
  close();
  open();
}

void Connection::open() {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  if (inet_pton(AF_INET, host_.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error("not an IPv4 address: " + host_);
  }
  const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
  if (connect(socket_, generic, sizeof address) != 0) fail("connect");
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fcntl(socket_, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
}

void Connection::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Connection::send(std::string_view request) {
  request_ = request;
  sent_ = 0;
  received_.clear();
  head_bytes_ = body_bytes_ = 0;
  write_more();
}

void Connection::write_more() {
  while (sent_ < request_.size()) {
    const auto n = ::send(socket_, request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) fail("send");
    sent_ += static_cast<std::size_t>(n);
  }
}

void Connection::read_head() {
  const auto end = received_.find("\r\n\r\n");
  if (end == std::string::npos) return;
  const std::string_view head(received_.data(), end + 2);
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  const auto* digits = head.data() + kVersion.size();
  if (!head.starts_with(kVersion) ||
      std::from_chars(digits, digits + 3, status_).ec != std::errc{}) {
    throw std::runtime_error("not an HTTP/1.1 answer: " + received_.substr(0, 80));
  }
  const auto length = header(head, "content-length");
  if (!length.empty()) {
    std::from_chars(length.data(), length.data() + length.size(), body_bytes_);
  } else if (status_ != 204 && status_ != 304) {
    throw std::runtime_error("an answer without Content-Length");
  }
  is_last_ = header(head, "connection") == "close";
  head_bytes_ = end + 4;
}

std::optional<Answer> Connection::proceed() {
  write_more();
  std::array<char, 65'536> piece;
  for (;;) {
    const auto n = ::recv(socket_, piece.data(), piece.size(), 0);
    if (n < 0 && errno == EAGAIN) return std::nullopt;
    if (n < 0) fail("recv");
    if (n == 0) throw std::runtime_error("the service closed the connection");
    received_.append(piece.data(), static_cast<std::size_t>(n));
    if (head_bytes_ == 0) read_head();
    if (head_bytes_ != 0 && received_.size() >= head_bytes_ + body_bytes_) {
      return Answer{status_, std::string_view(received_).substr(head_bytes_, body_bytes_),
                    is_last_};
    }
  }
}

}  // namespace annolog::bench
