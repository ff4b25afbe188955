// Many WebSockets and one HTTP connection in one thread with epoll: who listens to what, what came,
// and how long after a request it was there. Throws std::runtime_error when a connection breaks or
// nothing comes for 30 s, saying how many frames never came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/load/connection.hpp"
#include "tests/bench/sockets/socket.hpp"

namespace annolog::bench {

struct Place {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string token;
};

// Microseconds from a request's first byte.
struct Told {
  double answered_us = 0;
  double last_us = 0;  // the last frame came
};

class Crowd {
 public:
  explicit Crowd(Place place);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // One more socket for each of these tasks, which listens to its lock.
  void open(const std::vector<std::int64_t>& tasks);
  // So many of the sockets, from the first on, listen to the project's annotations as well.
  void listen(std::int64_t project, std::size_t count);
  // Answers pings and nothing else for so long.
  void rest(double seconds);

  // A lock of the socket's task, until that socket has heard of it.
  Told lock(std::size_t socket);
  // An annotation of so many boxes, until all who listen have heard of each.
  Told annotate(std::size_t socket, std::size_t boxes);

  std::size_t size() const { return members_.size(); }
  std::uint64_t due() const { return due_; }    // frames that had to come
  std::uint64_t come() const { return come_; }  // that came, each counted as often as it came
  std::size_t frame_bytes() const { return frame_bytes_; }  // of the last one, with its head

 private:
  struct Member {
    std::unique_ptr<Socket> socket;
    std::int64_t task = 0;
    bool has_hand = false;  // the handshake is counted
    std::uint32_t locks = 0;
    std::uint32_t annotations = 0;
  };

  void add(std::int64_t task);
  void watch(int descriptor, std::uint64_t number) const;
  // Until `done`; throws what `missing` says when nothing that was asked for comes for 30 s.
  void wait_until(const std::function<bool()>& done, const std::function<std::string()>& missing);
  void wait_for_subscriptions();
  Told tell(const std::string& path, const std::string& body, std::uint64_t frames);
  void expect_all_have(std::uint32_t Member::* kind, std::size_t first, std::size_t count,
                       std::uint32_t number) const;
  void take(int wait_ms);
  void hear(Member& member, std::string_view text);
  void take_answer();

  const Place place_;
  const std::string target_;
  int poll_ = -1;
  std::unique_ptr<Connection> http_;  // from the first request on
  std::vector<Member> members_;
  std::size_t listeners_ = 0;
  std::uint32_t annotated_ = 0;  // frames that each of them had to get
  std::size_t hands_ = 0;        // handshakes that were answered
  std::size_t asked_ = 0;        // subscriptions that were asked for
  std::size_t confirmed_ = 0;    // of them
  std::size_t answers_ = 0;      // to requests
  std::uint64_t due_ = 0;
  std::uint64_t come_ = 0;
  std::size_t frame_bytes_ = 0;
  Clock::time_point last_at_;
  Clock::time_point answered_at_;
  bool is_answered_ = false;
};

}  // namespace annolog::bench
