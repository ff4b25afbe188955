// The sockets of this process. Each lives in the room of its I/O thread, where frames reach it, and
// nothing else touches it: no lock is held while frames are handed on or written. serve() is called
// on the socket's own thread; publish(), judge_again() and stop() on any. The hub outlives the
// server whose sockets it is given, and hears nothing more from others once that is gone.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "api/auth/socket_door.hpp"
#include "api/http/websocket_handoff.hpp"
#include "api/realtime/feed.hpp"
#include "api/realtime/interest.hpp"
#include "api/realtime/missed.hpp"
#include "api/realtime/realtime_options.hpp"
#include "api/realtime/rights.hpp"
#include "api/realtime/socket_kind.hpp"
#include "api/realtime/socket_metrics.hpp"
#include "api/realtime/socket_places.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/thread_pool.hpp"

namespace annolog::api::realtime {

class Room;

// What a request for a socket has said.
struct Opening {
  SocketKind kind = SocketKind::multiplexed;
  std::int64_t id = 0;  // of what the path names
  Presented shown;
};

class Hub {
 public:
  struct Parts {
    const RealtimeOptions& options;
    SocketDoor& door;
    Rights& rights;
    Interest& interest;
    const Missed& missed;
    platform::ThreadPool& replay_threads;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
    std::uint16_t shards = 0;
  };
  explicit Hub(Parts parts);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  void serve(http::DetachedConnection connection, Opening opening);
  void publish(const Batch& batch);
  // Something has been said about who may do what: those whom it may shut out are judged again.
  void judge_again(const Event& event);
  // Closes all sockets, and those that come later at once.
  void stop();

  const Parts& parts() const { return parts_; }
  const SocketMetrics& metrics() const { return metrics_; }
  SocketPlaces& places() { return places_; }
  bool stopping() const { return stopping_; }

 private:
  Room& room_of(const boost::asio::any_io_executor& executor);
  template <class Act>
  void in_every_room(const Act& act);

  const Parts parts_;
  const SocketMetrics metrics_;
  SocketPlaces places_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::map<const void*, std::unique_ptr<Room>> rooms_;  // by execution context
};

}  // namespace annolog::api::realtime
