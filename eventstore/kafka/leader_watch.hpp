// Whether this process hears all brokers that lead a partition of a topic. A group's coordinator
// hears of its members only that they live: one that can't reach another broker keeps shards whose
// commands it can neither read nor commit. A thread of its own asks every leader now and then.
// Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

struct LeaderWatchOptions {
  Connection connection;
  std::string topic;
  std::chrono::milliseconds pause{4'000};  // from one look to the next
  // Longer than a cluster takes to replace a leader that is gone: then nobody hears it.
  std::chrono::milliseconds patience{15'000};
};

// Which leaders have been silent for how long. Pure; one thread.
class Silence {
 public:
  explicit Silence(std::chrono::milliseconds patience) : patience_(patience) {}
  // Whether each broker that leads a partition has answered; none: nobody said who leads.
  void note(const std::map<std::int32_t, bool>& answers, Deadline now);
  // How many are silent for longer than `patience`.
  int count(Deadline now) const;

 private:
  const std::chrono::milliseconds patience_;
  std::map<std::int32_t, Deadline> since_;
};

class LeaderWatch {
 public:
  explicit LeaderWatch(LeaderWatchOptions options);
  ~LeaderWatch();
  LeaderWatch(const LeaderWatch&) = delete;
  LeaderWatch& operator=(const LeaderWatch&) = delete;

  // How many leaders have been silent for `patience` while another broker names them still. While
  // none answers it stays as it is: a group's session ends by itself then.
  int silent() const { return silent_; }
  bool hears_all() const { return silent_ == 0; }

 private:
  void run();
  void look();
  bool answers(std::int32_t partition) const;

  const LeaderWatchOptions options_;
  Client client_;
  Silence silence_;
  std::atomic<int> silent_{0};
  std::mutex mutex_;
  std::condition_variable stop_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
