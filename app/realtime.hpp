// The sockets of this process and the feed of their frames, wired to log and read models. The hub
// is there from the beginning; start() and the stops belong to one thread, the rest to any.
#pragma once

#include <memory>

#include "api/realtime/event_frames.hpp"
#include "api/realtime/feed.hpp"
#include "api/realtime/hub.hpp"
#include "eventstore/event_log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

class Realtime {
 public:
  struct Parts {
    eventstore::EventLog& log;
    projections::ReadBarrier& barrier;
    api::SocketDoor& door;
    const api::Directory& directory;
    api::TaskLoader& tasks;
    projections::ReadPool& reads;
    platform::ThreadPool& read_threads;
    api::SecondLook& second_look;
    platform::ThreadPool& replay_threads;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
    std::unique_ptr<api::realtime::NotificationSource> notifications;
  };
  Realtime(const platform::Settings& settings, Parts parts);

  api::realtime::Hub& hub() { return hub_; }
  // Frames come of what the read models show from now on, and behind `shown`.
  void start(const projections::Positions& shown) { feed_.start(shown); }
  void judge_again(const Event& event) { hub_.judge_again(event); }
  // Before the server stops: it waits until its connections have ended.
  void close_sockets() { hub_.stop(); }
  // Before the server is destroyed.
  void stop() { feed_.stop(); }

 private:
  const api::realtime::RealtimeOptions options_;
  const std::unique_ptr<api::realtime::NotificationSource> notifications_;
  const api::realtime::EventFrames frames_;
  api::realtime::Interest interest_;
  api::realtime::DirectoryRights rights_;
  api::realtime::Missed missed_;
  api::realtime::Hub hub_;
  api::realtime::Feed feed_;
};

}  // namespace annolog::app
