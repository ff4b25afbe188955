#include "tests/unit/client/stub_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <utility>

namespace annolog::client::testing {
namespace {

// Reads from a socket up to a mark or a number of bytes.
class Inbox {
 public:
  explicit Inbox(int connection) : connection_(connection) {}

  std::optional<std::string> until(const std::string& mark) {
    for (;;) {
      const auto at = buffer_.find(mark);
      if (at != std::string::npos) return take(at + mark.size());
      if (!more()) return std::nullopt;
    }
  }

  std::optional<std::string> exactly(std::size_t bytes) {
    while (buffer_.size() < bytes) {
      if (!more()) return std::nullopt;
    }
    return take(bytes);
  }

 private:
  bool more() {
    char piece[4096];
    const ssize_t got = ::recv(connection_, &piece[0], sizeof piece, 0);
    if (got <= 0) return false;
    buffer_.append(&piece[0], static_cast<std::size_t>(got));
    return true;
  }

  std::string take(std::size_t bytes) {
    std::string taken = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return taken;
  }

  int connection_;
  std::string buffer_;
};

std::optional<StubRequest> read_request(Inbox& inbox) {
  const auto head = inbox.until("\r\n\r\n");
  if (!head) return std::nullopt;
  StubRequest request;
  std::size_t at = head->find("\r\n");
  const std::string first = head->substr(0, at);
  request.method = first.substr(0, first.find(' '));
  request.target = first.substr(first.find(' ') + 1);
  request.target.resize(request.target.find(' '));
  request.path = request.target.substr(0, request.target.find('?'));
  for (at += 2; at < head->size();) {
    const auto end = head->find("\r\n", at);
    const std::string line = head->substr(at, end - at);
    at = end + 2;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.headers[name] = line.substr(std::min(colon + 2, line.size()));
  }
  const std::string length = request.header("content-length");
  const auto body = inbox.exactly(length.empty() ? 0 : std::stoul(length));
  if (!body) return std::nullopt;
  request.body = *body;
  return request;
}

void send_all(int connection, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t some = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some <= 0) return;
    sent += static_cast<std::size_t>(some);
  }
}

std::string wire(const StubReply& reply) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Stub\r\n";
  for (const auto& [name, value] : reply.headers) text += name + ": " + value + "\r\n";
  const std::size_t promised = reply.body.size() + (reply.cut ? 100 : 0);
  if (reply.status != 204) text += "Content-Length: " + std::to_string(promised) + "\r\n";
  return text + "\r\n" + reply.body;
}

}  // namespace

StubServer::StubServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("the stub server cannot listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

StubServer::~StubServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
  }
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  for (const int connection : connections_) ::close(connection);
  ::close(listener_);
}

std::string StubServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<StubRequest> StubServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t StubServer::count(const std::string& method, const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      requests_, [&](const StubRequest& one) { return one.method == method && one.path == path; }));
}

void StubServer::accept_loop() {
  for (;;) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    const std::lock_guard lock(mutex_);
    connections_.push_back(connection);
    if (stopping_) return;
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void StubServer::serve(int connection) {
  Inbox inbox(connection);
  while (const auto request = read_request(inbox)) {
    StubReply reply;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
      reply = handler_(*request);
    }
    send_all(connection, wire(reply));
    if (reply.cut) break;
  }
  ::shutdown(connection, SHUT_RDWR);
}

}  // namespace annolog::client::testing
