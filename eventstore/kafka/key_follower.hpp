// Keeps the fold of the topic of subject keys up to date: read whole at first, then followed by a
// thread of its own. After trouble, and after a time without contact in which the topic may have
// forgotten that a key was erased, it is read whole again. Any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

#include "eventstore/kafka/key_fold.hpp"
#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

struct KeyFollowerOptions {
  std::chrono::milliseconds timeout{5'000};        // of a question to the cluster
  std::chrono::milliseconds read_timeout{60'000};  // of reading the topic again
  std::chrono::milliseconds check_every{60'000};   // that nothing was missed, and for segment_time
  // Less than the topic's delete.retention.ms.
  std::chrono::milliseconds read_again_after{std::chrono::hours(12)};
  std::chrono::milliseconds segment_time{std::chrono::hours(1)};  // the topic's segment.ms
};

class KeyFollower {
 public:
  // Reads the topic. `client` answers for its end; `append` writes anything to it, without waiting:
  // so segments with erased bytes are closed. Throws LogUnavailable.
  KeyFollower(const Connection& connection, const Client& client, const std::string& topic,
              const KeyFollowerOptions& options, Deadline deadline, std::function<void()> append);
  ~KeyFollower();
  KeyFollower(const KeyFollower&) = delete;
  KeyFollower& operator=(const KeyFollower&) = delete;

  // The candidates that are not erased, as far as is known here. A name never heard of was perhaps
  // made elsewhere a moment ago: then it is current() that answers, and an answer that there are
  // none holds until the topic says otherwise. Throws LogUnavailable.
  KeyCandidates known(const std::string& name, Deadline deadline);
  // All that was written before the call counts. Throws LogUnavailable.
  KeyCandidates current(const std::string& name, Deadline deadline);
  // Until all below that offset is known. Throws LogUnavailable.
  void wait_until(std::int64_t next_offset, Deadline deadline);

 private:
  void load(Deadline answer_by, Deadline read_by);
  void run();
  void take();
  void check();
  std::optional<KeyCandidates> find(const std::string& name) const;

  const Connection connection_;
  const Client& client_;
  const std::string topic_;
  const KeyFollowerOptions options_;
  const std::function<void()> append_;

  mutable std::mutex mutex_;
  std::condition_variable moved_;  // also: stopping
  KeyFold fold_;                   // guarded by mutex_, as are the next two
  std::int64_t next_offset_ = 0;
  std::unordered_set<std::string> absent_;  // asked for, and not in the topic

  // The thread's own.
  std::unique_ptr<TopicReader> reader_;
  std::chrono::system_clock::time_point in_touch_at_;
  Deadline next_check_;

  std::atomic<bool> read_again_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
