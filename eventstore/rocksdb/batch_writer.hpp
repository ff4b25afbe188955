// Writes batches and decides what a failure means: no room (writing pauses and is taken up again),
// or no trust (a failed sync, damage: nothing is written any more). Any thread.
#pragma once

#include <rocksdb/write_batch.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>

#include "eventstore/rocksdb/store.hpp"

namespace annolog::eventstore {

class BatchWriter {
 public:
  BatchWriter(const Store& store, const RocksdbLogOptions& options);
  ~BatchWriter();  // also ends a try to resume that hangs
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  // Blocks until the batch is on the disk (`synced`) or in the write-ahead log only.
  CommitOutcome write(rocksdb::WriteBatch& batch, bool synced);
  // At most once per back-off interval; true: writing is possible.
  bool try_resume();
  LogHealth health() const;

 private:
  enum class Condition { writable, no_space, fatal };
  using Clock = std::chrono::steady_clock;

  CommitOutcome judge(const rocksdb::Status& status);
  CommitOutcome fail(const std::string& reason);
  CommitOutcome pause(const std::string& reason);
  std::string missing_room(std::uint64_t needed_bytes) const;
  rocksdb::Status resume();
  std::optional<rocksdb::Status> resume_in_time();

  const Store& store_;
  const std::string folder_;
  const std::uint64_t min_free_bytes_;
  const std::chrono::milliseconds first_backoff_;
  const std::chrono::milliseconds longest_resume_;
  std::atomic<Condition> condition_{Condition::writable};
  std::shared_mutex gate_;    // shared: a write; alone: resuming
  std::thread hanging_;       // a try to resume that was given up; set under the gate
  mutable std::mutex mutex_;  // guards what follows
  std::string detail_;
  std::chrono::milliseconds backoff_;
  Clock::time_point next_try_;
};

}  // namespace annolog::eventstore
