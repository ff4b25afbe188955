#include "eventstore/rocksdb/batch_writer.hpp"

#include <fmt/format.h>
#include <rocksdb/convenience.h>

#include <algorithm>
#include <future>
#include <utility>

#include "eventstore/rocksdb/keys.hpp"
#include "eventstore/rocksdb/read_only_disk.hpp"

namespace annolog::eventstore {
namespace {

constexpr std::chrono::milliseconds kLongestBackoff{5000};
// Resuming writes a table and a new log itself; RocksDB loses memory each time it fails half way.
constexpr std::uint64_t kRoomToResumeBytes = 1U << 20U;

rocksdb::WriteOptions without_wal() {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return options;
}

}  // namespace

BatchWriter::BatchWriter(const Store& store, const RocksdbLogOptions& options)
    : store_(store),
      folder_(options.folder.string()),
      min_free_bytes_(options.min_free_bytes),
      first_backoff_(options.resume_backoff_ms),
      longest_resume_(options.longest_resume_ms),
      backoff_(first_backoff_) {}

// What hangs waits for a flush; closing would order another one and wait for it.
BatchWriter::~BatchWriter() {
  if (!hanging_.joinable()) return;
  store_.db->SetDBOptions({{"avoid_flush_during_shutdown", "true"}}).PermitUncheckedError();
  rocksdb::CancelAllBackgroundWork(store_.db.get());
  hanging_.join();
}

CommitOutcome BatchWriter::write(rocksdb::WriteBatch& batch, bool synced) {
  if (store_.sync_watch->failed()) return fail(store_.sync_watch->detail());
  if (condition_ == Condition::fatal) return CommitOutcome::fatal;
  if (condition_ == Condition::no_space && !try_resume())
    return condition_ == Condition::fatal ? CommitOutcome::fatal : CommitOutcome::refused_no_space;
  if (const std::string reason = missing_room(min_free_bytes_); !reason.empty())
    return pause(reason);

  const std::shared_lock gate(gate_);
  // When a write to the write-ahead log fails, RocksDB takes it up again by flushing what is in
  // memory and starting a new file; with nothing in memory it would go on in the torn one. So there
  // is always something in memory, which itself needs no log.
  rocksdb::Status status =
      store_.db->Put(without_wal(), store_.meta.get(), std::string(kFillerKey), "");
  if (status.ok()) {
    rocksdb::WriteOptions options;
    options.sync = synced;
    status = store_.db->Write(options, &batch);
  }
  return judge(status);
}

CommitOutcome BatchWriter::judge(const rocksdb::Status& status) {
  if (status.ok()) return CommitOutcome::ok;
  if (store_.sync_watch->failed()) return fail(store_.sync_watch->detail());
  // Busy: RocksDB is still at work on an earlier try to resume. Incomplete: the write waited for a
  // flush, which failed; resuming tells why.
  if (status.IsNoSpace() || status.IsBusy() || status.IsIncomplete() || is_read_only_disk(status))
    return pause(status.ToString());
  return fail(status.ToString());
}

CommitOutcome BatchWriter::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (condition_ != Condition::fatal) detail_ = fmt::format("writing has stopped: {}", reason);
  condition_ = Condition::fatal;
  return CommitOutcome::fatal;
}

CommitOutcome BatchWriter::pause(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (condition_ == Condition::fatal) return CommitOutcome::fatal;
  if (condition_ == Condition::writable) {
    backoff_ = first_backoff_;
    next_try_ = Clock::now() + backoff_;
  }
  detail_ = fmt::format("writing pauses: {}", reason);
  condition_ = Condition::no_space;
  return CommitOutcome::refused_no_space;
}

std::string BatchWriter::missing_room(std::uint64_t needed_bytes) const {
  std::uint64_t free_bytes = 0;
  // A file system that can't tell is no reason to refuse: the write itself will fail.
  if (!store_.env->GetFreeSpace(folder_, &free_bytes).ok() || free_bytes >= needed_bytes) return {};
  return fmt::format("{} bytes are free in {}, {} are needed", free_bytes, folder_, needed_bytes);
}

rocksdb::Status BatchWriter::resume() {
  rocksdb::Status status = store_.db->Resume();
  if (!status.ok()) return status;
  // Whatever happened, the next batch begins a new write-ahead log.
  status = store_.db->Put(without_wal(), store_.meta.get(), std::string(kFillerKey), "");
  if (!status.ok()) return status;
  return store_.db->Flush(rocksdb::FlushOptions(),
                          {store_.records.get(), store_.state.get(), store_.meta.get()});
}

// RocksDB waits for its flushes without end. A new start reads the write-ahead log and needs none.
std::optional<rocksdb::Status> BatchWriter::resume_in_time() {
  std::promise<rocksdb::Status> promise;
  auto resumed = promise.get_future();
  std::thread trying(
      [this, promise = std::move(promise)]() mutable { promise.set_value(resume()); });
  if (resumed.wait_for(longest_resume_) == std::future_status::timeout) {
    hanging_ = std::move(trying);
    return std::nullopt;
  }
  trying.join();
  return resumed.get();
}

bool BatchWriter::try_resume() {
  const std::unique_lock gate(gate_);
  if (condition_ != Condition::no_space) return condition_ == Condition::writable;
  {
    const std::lock_guard lock(mutex_);
    if (Clock::now() < next_try_) return false;
    backoff_ = std::min(backoff_ * 2, kLongestBackoff);
    next_try_ = Clock::now() + backoff_;
  }
  const std::uint64_t needed_bytes = std::max(min_free_bytes_, kRoomToResumeBytes);
  if (const std::string reason = missing_room(needed_bytes); !reason.empty()) {
    pause(reason);
    return false;
  }
  const auto status = resume_in_time();
  if (!status) {
    fail(fmt::format("RocksDB did not take it up again within {} ms; a new start does",
                     longest_resume_.count()));
    return false;
  }
  if (!status->ok() || store_.sync_watch->failed()) {
    judge(status->ok() ? rocksdb::Status::IOError(store_.sync_watch->detail()) : *status);
    return false;
  }
  const std::lock_guard lock(mutex_);
  condition_ = Condition::writable;
  detail_.clear();
  return true;
}

LogHealth BatchWriter::health() const {
  const std::lock_guard lock(mutex_);
  const bool sync_failed = store_.sync_watch->failed();
  const Condition now = condition_;
  if (sync_failed && now != Condition::fatal) return {false, true, store_.sync_watch->detail()};
  return {now == Condition::writable, now == Condition::fatal, detail_};
}

}  // namespace annolog::eventstore
