// A client made of a bare socket: sends exactly the bytes it is given and reads answers one by one.
// Every wait ends after 20 s at the latest, with what was read so far.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace annolog::http {

struct Answer {
  int status = 0;                              // 0: the connection ended before an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool complete = false;
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer_bytes != 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                   sizeof receive_buffer_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // False when the other side is gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  Answer read(bool head_only = false) {
    Answer answer;
    std::size_t end;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return answer;
    }
    parse_head(answer, in_.substr(0, end + 2));
    in_.erase(0, end + 4);
    if (answer.status == 100) return answer;
    if (head_only || answer.status == 204 || answer.status == 304) {
      answer.complete = true;
    } else if (answer.header("transfer-encoding") == "chunked") {
      read_chunks(answer);
    } else if (const std::string length = answer.header("content-length"); !length.empty()) {
      const std::size_t size = std::stoull(length);
      while (in_.size() < size && more()) {
      }
      answer.complete = in_.size() >= size;
      answer.body = in_.substr(0, size);
      in_.erase(0, size);
    } else {
      while (more()) {
      }
      answer.body = std::move(in_);
      answer.complete = true;
    }
    return answer;
  }

  Answer ask(std::string_view request) {
    send(request);
    return read();
  }

  // True when the server ends the connection and nothing more comes.
  bool ends() {
    while (more()) {
    }
    return ended_ && in_.empty();
  }
  // Everything up to the connection's end, as it is.
  std::string rest() {
    while (more()) {
    }
    return in_;
  }

  // What came and was not read as an answer.
  const std::string& received() const { return in_; }

  // Waits for some bytes.
  bool more() {
    pollfd poll_on{socket_, POLLIN, 0};
    if (::poll(&poll_on, 1, 20'000) != 1) return false;
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) {
      ended_ = true;
      return false;
    }
    in_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

 private:
  static void parse_head(Answer& answer, std::string text) {
    if (text.size() > 12) std::from_chars(text.data() + 9, text.data() + 12, answer.status);
    std::size_t at = text.find("\r\n") + 2;
    while (at < text.size()) {
      const std::size_t end = text.find("\r\n", at);
      const std::size_t colon = text.find(':', at);
      std::string name = text.substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      answer.headers[name] = text.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
  }

  void read_chunks(Answer& answer) {
    while (true) {
      std::size_t end;
      while ((end = in_.find("\r\n")) == std::string::npos) {
        if (!more()) return;
      }
      const std::size_t size = std::stoull(in_.substr(0, end), nullptr, 16);
      while (in_.size() < end + 2 + size + 2) {
        if (!more()) return;
      }
      answer.body += in_.substr(end + 2, size);
      in_.erase(0, end + 2 + size + 2);
      if (size == 0) {
        answer.complete = true;
        return;
      }
    }
  }

  int socket_;
  bool connected_ = false;
  bool ended_ = false;
  std::string in_;
};

}  // namespace annolog::http
