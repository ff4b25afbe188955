// Everything that sockets need, real but for the log, the tokens and the rights: a server on
// loopback with two I/O threads, hub, feed, read barrier; and a publisher of what no event tells
// yet.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/http/router.hpp"
#include "api/http/server.hpp"
#include "api/realtime/event_frames.hpp"
#include "api/realtime/hub.hpp"
#include "tests/unit/api/realtime/websocket_client.hpp"

namespace annolog::api::realtime {

inline constexpr std::uint16_t kShards = 4;

// The records of the shards; any thread.
class MemoryLog {
 public:
  commands::Position append(commands::ShardId shard, const Event& event, UserId actor = UserId{7});
  commands::Position append(commands::ShardId shard, eventstore::RecordHeaders headers,
                            std::string data);
  std::vector<eventstore::Record> read(commands::ShardId shard, commands::Offset after,
                                       std::size_t most);

 private:
  std::mutex mutex_;
  std::map<commands::ShardId, std::vector<eventstore::Record>> records_;
};

// A token is "u" and the user's id, a key "k" and that; "bad" is void. Any thread.
class ToyDoor final : public SocketDoor {
 public:
  explicit ToyDoor(const platform::Clock& clock) : clock_(clock) {}
  awaitable<Result<Holder>> admit(const Presented& shown) override;
  std::optional<Role> still_admits(const Holder& holder) const override;

  void shut_out(UserId user) {
    const std::lock_guard guard(mutex_);
    shut_out_.insert(user);
  }
  void expire_in(std::int64_t ms) { life_ms_ = ms; }
  void admit_after(std::int64_t ms) { slow_by_ms_ = ms; }

 private:
  const platform::Clock& clock_;
  mutable std::mutex mutex_;
  std::set<UserId> shut_out_;
  std::atomic<std::int64_t> life_ms_{3'600'000};
  std::atomic<std::int64_t> slow_by_ms_{0};
};

// Everybody may see project 1; project 404 does not exist. A task's project is 1.
class ToyRights final : public Rights {
 public:
  awaitable<Result<ProjectId>> admit(const http::Caller& caller, const Channel& channel) override;
  bool allows(const http::Caller& caller, const Channel& channel, ProjectId project) const override;
  void hide_project() { hidden_ = true; }

 private:
  std::atomic<bool> hidden_{false};
};

class ToyNotifications final : public NotificationSource {
 public:
  bool may_come_of(std::string_view event_type) const override {
    return event_type == TaskRejected::kType;
  }
  std::vector<NewNotification> made_by(commands::ShardId shard, commands::Offset after,
                                       commands::Offset upto) override;
  std::vector<NewNotification> of_user_since(UserId user, const Cursor& after, const Cursor& upto,
                                             std::size_t most) override;
  void put(NewNotification notification) {
    const std::lock_guard guard(mutex_);
    made_.push_back(std::move(notification));
  }

 private:
  std::mutex mutex_;
  std::vector<NewNotification> made_;
};

// The frames of events, and those of jobs of predictions and trackers, whose events later work
// brings: here a record of the log, a JSON array, says which frames it makes.
class TestPublisher final : public FrameSource {
 public:
  static constexpr const char* kType = "test.published";

  ChannelKinds kinds_of(std::string_view event_type) const override;
  std::vector<EventFrame> frames_of(const eventstore::Record& record) const override;
  static std::string data_of(const std::vector<EventFrame>& frames);

 private:
  EventFrames events_;
};

class Stage {
 public:
  explicit Stage(RealtimeOptions options = {});
  ~Stage();

  // In the log, and shown by the read models.
  commands::Position happens(const Event& event, std::uint16_t shard = 1);
  // In the log alone.
  commands::Position commits(const Event& event, std::uint16_t shard = 1);
  // The same of frames that no event makes yet.
  commands::Position publishes(const std::vector<EventFrame>& frames, std::uint16_t shard = 1);
  commands::Position commits_published(const std::vector<EventFrame>& frames,
                                       std::uint16_t shard = 1);
  void show(commands::Position position) { barrier.set(position.shard, position.offset); }

  std::unique_ptr<WebSocketClient> open(const std::string& target, int receive_buffer_bytes = 0) {
    return std::make_unique<WebSocketClient>(server->port(), target, "", receive_buffer_bytes);
  }
  // On the multiplexed socket, as user 7.
  std::unique_ptr<WebSocketClient> listening(const std::string& channel,
                                             const std::string& after = {});
  double open_sockets() const;

  const RealtimeOptions options;
  platform::SystemClock clock;
  platform::Logger logger;
  platform::Metrics metrics;
  MemoryLog log;
  projections::ReadBarrier barrier{kShards};
  ToyDoor door{clock};
  ToyRights rights;
  ToyNotifications notifications;
  Interest interest{kShards};
  platform::ThreadPool replays{{.name = "replays", .threads = 2, .queue_limit = 100}};
  TestPublisher frames;
  Missed missed;
  Hub hub;
  Feed feed;

 private:
  class NoGate;
  class NoObserver;
  std::unique_ptr<NoGate> gate_;
  std::unique_ptr<NoObserver> observer_;
  std::unique_ptr<http::Router> router_;
  platform::ThreadPool bodies_{{.name = "bodies", .threads = 1, .queue_limit = 1}};

 public:
  std::unique_ptr<http::Server> server;
};

std::string subscribe_text(const std::string& channel, const std::string& after = {});
TaskLocked locked(std::int64_t task, std::int64_t user = 7);

}  // namespace annolog::api::realtime
