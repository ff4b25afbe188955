// What handing the same bytes to as many readers costs without a service: one thread writes them to
// TCP connections of this machine one by one, another reads until all has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace annolog::bench {

// A connected, blocking socket without Nagle's delay. Throws std::system_error.
int connect_to(const std::string& host, std::uint16_t port);

class Loopback {
 public:
  explicit Loopback(std::size_t readers);
  ~Loopback();
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  // Microseconds until the last reader has the last of `frames` of `bytes` each. Each is written to
  // all before the next one: what a reader has not taken must fit into its socket.
  double send_us(std::size_t frames, std::size_t bytes);

 private:
  void read(std::size_t bytes_in_all) const;

  int poll_ = -1;
  std::vector<int> writers_;
  std::vector<int> readers_;
};

}  // namespace annolog::bench
