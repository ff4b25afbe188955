// One keep-alive HTTP/1.1 connection that has at most one request under way. Non-blocking; one
// thread. Errors throw std::runtime_error. Answers carry Content-Length (RFC 9112, section 6.3);
// a chunked one is an error here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annolog::bench {

using Clock = std::chrono::steady_clock;

struct Answer {
  int status = 0;
  std::string_view body;  // valid until the next send()
  bool is_last = false;   // the service closes behind it: reopen()
};

class Connection {
 public:
  Connection(const std::string& host, std::uint16_t port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return socket_; }
  void reopen();  // as another descriptor
  void send(std::string_view request);
  // Takes in what has come and goes on writing; the answer once it is whole.
  std::optional<Answer> proceed();
  bool wants_to_write() const { return sent_ < request_.size(); }

 private:
  void open();
  void close();
  void write_more();
  void read_head();

  const std::string host_;
  const std::uint16_t port_;
  int socket_ = -1;
  std::string request_;
  std::size_t sent_ = 0;
  std::string received_;
  std::size_t head_bytes_ = 0;  // 0: the head is not whole yet
  std::size_t body_bytes_ = 0;
  int status_ = 0;
  bool is_last_ = false;
};

}  // namespace annolog::bench
