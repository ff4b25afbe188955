// A small real HTTP/1.1 server on a loopback port, for tests: one thread per connection, a handler
// that sees every request and answers it. The handler is called under one lock, so it may keep
// state without its own. Bodies come with Content-Length.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace annolog::client::testing {

struct StubRequest {
  std::string method;
  std::string target;  // with its query
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

struct StubReply {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool cut = false;  // promise more than is sent, then close
};

class StubServer {
 public:
  using Handler = std::function<StubReply(const StubRequest&)>;

  explicit StubServer(Handler handler);
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  std::string url() const;
  std::vector<StubRequest> requests() const;
  std::size_t count(const std::string& method, const std::string& path) const;

 private:
  void accept_loop();
  void serve(int connection);

  Handler handler_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::vector<StubRequest> requests_;
  std::vector<int> connections_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace annolog::client::testing
