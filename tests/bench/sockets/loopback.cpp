#include "tests/bench/sockets/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace annolog::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHost = "127.0.0.1";
constexpr int kSilenceMs = 30'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    throw std::runtime_error("not an IPv4 address: " + host);
  return address;
}

sockaddr* generic(sockaddr_in& address) {
  return static_cast<sockaddr*>(static_cast<void*>(&address));
}

void write_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0) fail("send to a reader");
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace

int connect_to(const std::string& host, std::uint16_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket (is the limit of open files too low?)");
  sockaddr_in address = address_of(host, port);
  if (::connect(made, generic(address), sizeof address) != 0) {
    ::close(made);
    fail("connect");
  }
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

Loopback::Loopback(std::size_t readers) : poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (poll_ < 0) fail("epoll_create1");
  const int door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = address_of(kHost, 0);
  socklen_t size = sizeof address;
  if (door < 0 || ::bind(door, generic(address), size) != 0 || ::listen(door, 16) != 0 ||
      ::getsockname(door, generic(address), &size) != 0) {
    fail("a listening socket");
  }
  for (std::size_t i = 0; i < readers; ++i) {
    readers_.push_back(connect_to(kHost, ntohs(address.sin_port)));
    writers_.push_back(::accept4(door, nullptr, nullptr, SOCK_CLOEXEC));
    if (writers_.back() < 0) fail("accept4");
    const int on = 1;
    ::setsockopt(writers_.back(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{.events = EPOLLIN, .data = {.fd = readers_.back()}};
    if (::epoll_ctl(poll_, EPOLL_CTL_ADD, readers_.back(), &event) != 0) fail("epoll_ctl");
  }
  ::close(door);
}

Loopback::~Loopback() {
  for (const int socket : writers_) ::close(socket);
  for (const int socket : readers_) ::close(socket);
  ::close(poll_);
}

double Loopback::send_us(std::size_t frames, std::size_t bytes) {
  const std::string frame(bytes, 'x');
  const auto start = Clock::now();
  {
    const std::jthread writer([&] {
      for (std::size_t i = 0; i < frames; ++i)
        for (const int socket : writers_) write_all(socket, frame);
    });
    read(frames * bytes * readers_.size());
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void Loopback::read(std::size_t bytes_in_all) const {
  std::array<epoll_event, 256> events;
  std::array<char, 65'536> piece;
  while (bytes_in_all > 0) {
    const int n = ::epoll_wait(poll_, events.data(), events.size(), kSilenceMs);
    if (n <= 0) fail("nothing comes by a connection of this machine");
    for (int i = 0; i < n; ++i) {
      const int socket = events.at(static_cast<std::size_t>(i)).data.fd;
      const auto got = ::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT);
      if (got <= 0) fail("recv from a writer");
      bytes_in_all -= static_cast<std::size_t>(got);
    }
  }
}

}  // namespace annolog::bench
