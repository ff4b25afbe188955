#include "api/realtime/hub.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

#include "api/realtime/affected.hpp"
#include "api/realtime/room.hpp"
#include "api/realtime/socket.hpp"

namespace annolog::api::realtime {

namespace asio = boost::asio;

namespace {

// Exact to a quarter of the shortest time that is kept.
std::int64_t sweep_ms(const RealtimeOptions& options) {
  const std::int64_t shortest =
      std::min({options.ping_ms, options.notification_ping_ms, options.probe_ms, options.idle_ms,
                options.silent_ms, options.opening_ms, options.closing_ms, options.token_warning_ms,
                options.awaited_ms});
  return std::clamp<std::int64_t>(shortest / 4, 5, 500);
}

}  // namespace

Hub::Hub(Parts parts)
    : parts_(std::move(parts)),
      metrics_(parts_.metrics),
      places_(parts_.options.sockets, parts_.options.sockets_per_user) {}

Hub::~Hub() = default;

Room& Hub::room_of(const asio::any_io_executor& executor) {
  const void* context = &asio::query(executor, asio::execution::context);
  const std::lock_guard guard(mutex_);
  auto& room = rooms_[context];
  if (!room) room = std::make_unique<Room>(executor, sweep_ms(parts_.options));
  return *room;
}

void Hub::serve(http::DetachedConnection connection, Opening opening) {
  const asio::any_io_executor executor = connection.socket.get_executor();
  auto socket =
      std::make_shared<Socket>(*this, room_of(executor), std::move(connection), std::move(opening));
  asio::co_spawn(
      executor,
      [this, socket = std::move(socket)]() -> awaitable<void> {
        try {
          co_await socket->run();
        } catch (const std::exception& error) {
          parts_.logger.error("a socket broke off", {{"error", error.what()}});
        }
      },
      asio::detached);
}

template <class Act>
void Hub::in_every_room(const Act& act) {
  const std::lock_guard guard(mutex_);
  for (auto& [context, room] : rooms_) {
    asio::post(room->executor(), [here = room.get(), act] { act(*here); });
  }
}

void Hub::publish(const Batch& batch) {
  in_every_room([batch](Room& room) { room.deliver(*batch); });
}

void Hub::judge_again(const Event& event) {
  const auto affected = affected_by(event);
  if (!affected) return;
  in_every_room([affected = *affected](Room& room) { room.judge_again(affected); });
}

void Hub::stop() {
  stopping_ = true;
  in_every_room([](Room& room) { room.close_all(); });
}

}  // namespace annolog::api::realtime
