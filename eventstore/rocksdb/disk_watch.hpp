// What RocksDB reports beside its return values: failed syncs, and its warnings as lines. Called by
// RocksDB from any of its threads.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace annolog::eventstore {

// After a failed sync the kernel may have dropped the dirty pages and report success next time, so
// nothing written since the last good sync can be trusted any more: it is remembered for ever.
class SyncWatch final : public rocksdb::EventListener {
 public:
  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnIOError(const rocksdb::IOErrorInfo& info) override;
  // RocksDB would take up writing by itself when room is back; BatchWriter does it, see there.
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;

  bool failed() const { return failed_.load(); }
  std::string detail() const;

 private:
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::string detail_;
};

// Passes warnings and errors on and keeps the first that tells of damage: RocksDB names the damaged
// file there and not in its status.
class WarningLines final : public rocksdb::Logger {
 public:
  explicit WarningLines(std::function<void(std::string_view)> warn);
  using rocksdb::Logger::Logv;
  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override;
  void Logv(const char* format, va_list arguments) override;

  std::string first_damage() const;  // the first line that speaks of corruption; may be empty

 private:
  std::function<void(std::string_view)> warn_;
  mutable std::mutex mutex_;
  std::string first_damage_;
};

}  // namespace annolog::eventstore
