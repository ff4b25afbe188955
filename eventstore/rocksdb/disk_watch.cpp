#include "eventstore/rocksdb/disk_watch.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace annolog::eventstore {

void SyncWatch::OnIOError(const rocksdb::IOErrorInfo& info) {
  using rocksdb::FileOperationType;
  if (info.operation != FileOperationType::kSync && info.operation != FileOperationType::kFsync &&
      info.operation != FileOperationType::kRangeSync)
    return;
  {
    const std::lock_guard lock(mutex_);
    detail_ = fmt::format("sync of {} failed: {}", info.file_path, info.io_status.ToString());
  }
  failed_.store(true);
}

void SyncWatch::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                     rocksdb::Status /*error*/, bool* auto_recovery) {
  *auto_recovery = false;
}

std::string SyncWatch::detail() const {
  const std::lock_guard lock(mutex_);
  return detail_;
}

WarningLines::WarningLines(std::function<void(std::string_view)> warn)
    : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL), warn_(std::move(warn)) {}

void WarningLines::Logv(const char* format, va_list arguments) {
  Logv(rocksdb::InfoLogLevel::INFO_LEVEL, format, arguments);
}

void WarningLines::Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) {
  if (level < GetInfoLogLevel() || level == rocksdb::InfoLogLevel::HEADER_LEVEL) return;
  std::array<char, 1024> buffer{};
  const int size = std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
  if (size <= 0) return;
  const std::string_view line(buffer.data());
  if (line.find("orruption") != std::string_view::npos) {
    const std::lock_guard lock(mutex_);
    if (first_damage_.empty()) first_damage_ = line;
  }
  if (warn_) warn_(line);
}

std::string WarningLines::first_damage() const {
  const std::lock_guard lock(mutex_);
  return first_damage_;
}

}  // namespace annolog::eventstore
