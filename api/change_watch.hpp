// Waiting for something to happen in a project, for as many callers as there are places: one thread
// hears from the read barrier that a shard has moved and asks PostgreSQL, once for all who wait
// there, whose project it was. While nothing happens, nothing is asked; however much happens, one
// question is under way at a time. Any thread. docs/decisions/0028.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "platform/log.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/feed/queries.hpp"

namespace annolog::api {

class ChangeWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Place = projections::FeedQueries::Place;
  using News = projections::FeedQueries::News;
  // Blocking.
  using AskNews = std::function<News(std::span<const Place>)>;
  // Whether something has happened; if not, the deadline passed, or the watch ends, and nothing
  // had happened up to `after`.
  struct Heard {
    bool news = false;
    std::int64_t after = 0;
  };
  using Callback = std::function<void(Heard)>;
  struct Parts {
    projections::ReadBarrier& barrier;
    platform::Logger& logger;
    AskNews ask;
    std::uint16_t shards = 0;
    std::chrono::milliseconds pause{20};   // between two questions
    std::chrono::milliseconds retry{500};  // when the barrier or PostgreSQL was away
  };

  explicit ChangeWatch(Parts parts);
  ~ChangeWatch() { stop(); }
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  void start();
  // Everybody is called without news, now and from now on.
  void stop();
  // Calls back exactly once, on this thread only when the watch has ended: be quick, post and
  // return.
  void wait(const Place& place, Clock::time_point deadline, Callback callback);
  std::size_t waiting() const;

 private:
  struct Waiter {
    Place place;  // moves on as it is looked at
    Clock::time_point deadline;
    Callback callback;
  };
  using Waiters = std::list<Waiter>;
  // Who waits either was told of all up to `looked`, or the shard has `moved`.
  struct Shard {
    Waiters waiters;
    std::int64_t looked = 0;
    bool moved = false;
    bool armed = false;  // the barrier calls when it stands behind `looked`, or before
    Clock::time_point again = Clock::time_point::min();  // neither asked nor armed until then
  };
  // Outlives this for the barrier's calls.
  struct State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<Shard> shards;
    bool stopping = false;

    void heard(std::size_t shard, bool moved, std::chrono::milliseconds retry);
    Waiters take_late(Clock::time_point now);
  };
  // What one question is about: places, each once, and the shards that they lie in.
  struct Question {
    std::vector<Place> places;
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> at;  // by project and offset
    std::map<std::size_t, std::int64_t> applied;  // how far the shards were before it

    const std::size_t* find(const Place& place) const;
  };

  void run();
  void arm(std::unique_lock<std::mutex>& lock);
  void look(std::unique_lock<std::mutex>& lock);
  Question next_question(Clock::time_point now);
  Waiters settle(const Question& question, const News& news);
  void put_off(const Question& question);
  Clock::time_point next_moment() const;

  const Parts parts_;
  const std::shared_ptr<State> state_;
  Clock::time_point next_look_ = Clock::time_point::min();  // the thread's own
  std::thread thread_;
};

}  // namespace annolog::api
