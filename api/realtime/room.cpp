#include "api/realtime/room.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/realtime/socket.hpp"

namespace annolog::api::realtime {

namespace asio = boost::asio;

// The sweep begins with the first socket and ends with its thread.
void Room::enter(Socket& socket) {
  sockets_.insert(&socket);
  if (sweeping_) return;
  sweeping_ = true;
  asio::co_spawn(executor_, [this] { return sweep(); }, asio::detached);
}

void Room::stop_listening(const Channel& channel, Socket& socket) {
  const auto found = listeners_.find(channel);
  if (found == listeners_.end()) return;
  std::erase(found->second, &socket);
  if (found->second.empty()) listeners_.erase(found);
}

// Who is too slow is closed, and stops listening later: nothing changes here meanwhile.
void Room::deliver(const std::vector<Delivery>& deliveries) const {
  for (const Delivery& each : deliveries) {
    const auto found = listeners_.find(each.channel);
    if (found == listeners_.end()) continue;
    for (Socket* socket : found->second) socket->deliver(each);
  }
}

void Room::judge_again(const Affected& affected) const {
  for (Socket* socket : sockets_) socket->judge_again(affected);
}

void Room::close_all() const {
  for (Socket* socket : sockets_) socket->end(kGoingAway, "the service stops");
}

// All times of all sockets: far cheaper than timers of their own. The timer lies in the coroutine,
// which ends with the thread's context.
asio::awaitable<void> Room::sweep() {
  asio::steady_timer timer(executor_);
  while (true) {
    timer.expires_after(std::chrono::milliseconds(sweep_ms_));
    co_await timer.async_wait(asio::use_awaitable);
    for (Socket* socket : sockets_) socket->look_at_time();
  }
}

}  // namespace annolog::api::realtime
