// Signs where the log and the audit rows end, once a minute when something changed, and when the
// service stops (docs/decisions/0031). Of many processes one makes each checkpoint: a lock in
// PostgreSQL lets it in, and every one brings its own copy in the data folder up to date with what
// the others made. A log that no longer holds what was signed is not signed again: that is told in
// the log of the service and by a metric, until somebody looks.
// One thread; start() and stop() belong to another one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/checkpoints/store.hpp"
#include "workers/audit/signed_statement.hpp"
#include "workers/audit/statements.hpp"

namespace annolog::workers {

// What is asked of the log. Blocking; any thread. Errors: no answer now, another time.
struct LogEnds {
  std::string log_id;
  std::uint16_t shard_count = 0;
  // The position of the last record, which can be read; 0: none. Waits `longest` for it.
  std::function<std::int64_t(std::uint16_t shard, std::chrono::milliseconds longest)> end;
  // Hex, of a record at the end or before it; absent: there is none.
  std::function<std::optional<std::string>(std::uint16_t shard, std::int64_t position)> chain;
};

class Checkpointer {
 public:
  struct Parts {
    projections::ReadPool& reads;
    projections::ReadPool& shared;  // that writes
    LogEnds log;
    const StatementSigner& signer;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
    std::filesystem::path file;  // a line for each checkpoint; only ever appended to
  };

  // 0: none are made.
  Checkpointer(Parts parts, std::chrono::seconds every);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  void start();
  // Makes the last one, of all that was written; nothing may be appended to the log any more.
  void stop();

  // One round, at once: makes a checkpoint if something changed, and brings the file up to date.
  void make();

 private:
  using Newest = std::optional<projections::StoredCheckpoint>;

  void run();
  void tell_age();
  std::optional<projections::CheckpointStore::Made> next(const Newest& newest);
  // Of all shards that have records; the text says what the log no longer holds.
  std::vector<LogHead> heads(const std::optional<Checkpoint>& before, std::string& differs);
  void look_at_file();
  void bring_back();
  void catch_up_file();

  const Parts parts_;
  const std::chrono::seconds every_;
  const platform::Counter made_;
  const platform::Gauge age_s_, differs_;
  std::int64_t in_file_ = -1;  // the number of the file's last line; -1: not looked at yet
  std::atomic<std::int64_t> newest_ms_{0};

  std::mutex mutex_;
  std::condition_variable stop_cv_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annolog::workers
