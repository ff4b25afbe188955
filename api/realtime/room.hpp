// The sockets of one I/O thread, by what they listen to; made by the hub. All but the constructor
// on that thread alone.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "api/realtime/affected.hpp"
#include "api/realtime/channel.hpp"
#include "api/realtime/feed.hpp"

namespace annolog::api::realtime {

class Socket;

class Room {
 public:
  Room(boost::asio::any_io_executor executor, std::int64_t sweep_ms)
      : executor_(std::move(executor)), sweep_ms_(sweep_ms) {}

  const boost::asio::any_io_executor& executor() const { return executor_; }

  void enter(Socket& socket);
  void leave(Socket& socket) { sockets_.erase(&socket); }
  void listen(const Channel& channel, Socket& socket) { listeners_[channel].push_back(&socket); }
  void stop_listening(const Channel& channel, Socket& socket);

  void deliver(const std::vector<Delivery>& deliveries) const;
  void judge_again(const Affected& affected) const;
  void close_all() const;

 private:
  boost::asio::awaitable<void> sweep();

  const boost::asio::any_io_executor executor_;
  const std::int64_t sweep_ms_;
  bool sweeping_ = false;
  std::unordered_set<Socket*> sockets_;
  std::unordered_map<Channel, std::vector<Socket*>> listeners_;
};

}  // namespace annolog::api::realtime
