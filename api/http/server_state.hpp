// What the parts of the HTTP server share; internal to this folder.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/http/client_address.hpp"
#include "api/http/server.hpp"

namespace annolog::http {

class Connection;

struct ServerState {
  ServerState(ServerOptions given, ServerParts the_parts)
      : options(std::move(given)), parts(the_parts), proxies(options.trusted_proxies) {}

  const ServerOptions options;
  const ServerParts parts;
  const TrustedProxies proxies;
  std::atomic<std::size_t> connections{0};
  std::atomic<std::uint64_t> buffered_bodies_bytes{0};
  std::atomic<bool> stopping{false};
};

// One I/O thread: its sockets, and the sweep that closes those whose deadline has passed. A sweep
// is far cheaper than a timer for every read and write. All members belong to its thread.
struct Worker {
  std::unordered_set<Connection*> connections;  // outlives the context, whose end ends them
  boost::asio::io_context context{1};
  boost::asio::steady_timer sweep_timer{context};
  std::thread thread;
};

// A share of the memory for bodies that are held as a whole; given back on destruction.
class BufferShare {
 public:
  explicit BufferShare(ServerState& state) : state_(state) {}
  ~BufferShare() { state_.buffered_bodies_bytes -= held_; }
  BufferShare(const BufferShare&) = delete;
  BufferShare& operator=(const BufferShare&) = delete;

  // False when all bodies together would pass the limit.
  bool grow_to(std::uint64_t bytes) {
    if (bytes <= held_) return true;
    const std::uint64_t more = bytes - held_;
    if (state_.buffered_bodies_bytes.fetch_add(more) + more >
        state_.options.limits.buffered_bodies_bytes) {
      state_.buffered_bodies_bytes -= more;
      return false;
    }
    held_ = bytes;
    return true;
  }

 private:
  ServerState& state_;
  std::uint64_t held_ = 0;
};

}  // namespace annolog::http
