// One socket from its handshake to its end: who has it, what it listens to, what waits to be sent.
// Lives on its connection's I/O thread, where everything is called, and owns itself as long as
// run() does.
//
// What waits is bounded in bytes. A reader that is too slow for it is closed and nobody else waits.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/http/websocket.hpp"
#include "api/realtime/affected.hpp"
#include "api/realtime/client_message.hpp"
#include "api/realtime/frames.hpp"
#include "api/realtime/hub.hpp"
#include "api/realtime/room.hpp"

namespace annolog::api::realtime {

class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Hub& hub, Room& room, http::DetachedConnection connection, Opening opening);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  awaitable<void> run();

  // By its room. None of them takes it out of the room, or lets it stop listening.
  void deliver(const Delivery& delivery);
  void judge_again(const Affected& affected);
  void look_at_time();
  // Says why and lets the other side answer; nothing else is sent.
  void end(CloseCode code, std::string_view why);

 private:
  struct Subscription {
    ProjectId project;
    commands::ShardId home;
    Cursor from;  // what lies behind is for this listener
    bool replaying = false;
    bool missed = false;       // something came while it was replaying
    std::uint64_t number = 0;  // tells it from one of the same channel before it
    std::optional<std::int64_t> awaits_since_ms{};  // the feed is not at `from` yet
  };
  using Subscriptions = std::map<Channel, Subscription>;

  awaitable<void> open();
  awaitable<void> listen_to_own_channel();
  std::optional<Channel> own_channel() const;  // of a socket that has one
  awaitable<void> hear(std::string message);
  awaitable<void> subscribe(Subscribe wish);
  awaitable<void> reauth(Reauth wish);
  void unsubscribe(const Unsubscribe& wish);
  void refuse_own_channel(const DomainError& why);

  void start(const Channel& channel, ProjectId project, const std::optional<Cursor>& after);
  void stop(const Channel& channel);
  awaitable<void> replay();
  // The code of what went wrong.
  awaitable<std::optional<std::string>> replay_slice(Channel channel, Subscription& begun);
  Result<Missed::Slice> read_again(const Channel& channel, const Cursor& after,
                                   const Cursor& upto) const;
  awaitable<void> wait_for_reader();

  bool may_speak();
  void remember(Holder holder);
  void judge();
  void look_at_token();
  void look_at_awaited(std::int64_t now);
  void send(Text text);
  void send_frame(const Delivery& delivery);
  void write_next();
  void finish_when_sent();
  std::int64_t now_ms() const;

  Hub& hub_;
  Room& room_;
  const SocketRule& rule_;
  Opening opening_;
  http::WebSocket ws_;
  std::optional<SocketPlaces::Place> place_;
  std::optional<Holder> holder_;
  Subscriptions subscriptions_;
  std::uint64_t begun_ = 0;  // subscriptions
  bool replaying_ = false;   // some of them

  std::deque<Text> queue_;
  std::size_t queued_bytes_ = 0;  // with the text that is being written
  bool writing_ = false;
  boost::asio::steady_timer reader_took_some_;  // never expires: cancelled when it has

  bool open_ = false;
  bool ended_ = false;
  bool last_sent_ = false;  // ends once the queue is empty
  bool warned_ = false;     // that the token expires
  std::int64_t began_ms_;
  std::int64_t heard_ms_;
  std::int64_t pinged_ms_;
  std::int64_t ended_ms_ = 0;
  std::int64_t messages_left_;  // a bucket, see may_speak()
  std::int64_t refilled_ms_;
};

}  // namespace annolog::api::realtime
