#include "eventstore/faults/fault_disk.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace annolog::eventstore {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class FaultDisk::FileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FileSystem() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "annolog.FaultDisk"; }

  void set_room(std::optional<std::uint64_t> room) {
    const std::lock_guard lock(mutex_);
    room_ = room;
  }
  void fail_syncs(bool fail) {
    const std::lock_guard lock(mutex_);
    fail_syncs_ = fail;
  }
  void hold_new_files(bool hold) {
    const std::lock_guard lock(mutex_);
    holds_new_files_ = hold;
    released_.notify_all();
  }
  void cut_power() {
    const std::lock_guard lock(mutex_);
    powered_ = false;
  }
  void restore_power(std::uint64_t torn_bytes);

  // How many of `wanted` bytes fit; they are used up.
  std::uint64_t take_room(std::uint64_t wanted) {
    const std::lock_guard lock(mutex_);
    if (!room_) return wanted;
    const std::uint64_t given = std::min(*room_, wanted);
    *room_ -= given;
    return given;
  }
  IOStatus require_power() const {
    const std::lock_guard lock(mutex_);
    return powered_ ? IOStatus::OK() : IOStatus::IOError("the power is cut");
  }
  IOStatus require_sync() const {
    const std::lock_guard lock(mutex_);
    if (!powered_) return IOStatus::IOError("the power is cut");
    return fail_syncs_ ? IOStatus::IOError("the disk does not sync") : IOStatus::OK();
  }
  void note_synced(const std::string& path, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    files_[path].synced_bytes = size;
  }
  void note_folder_synced(const std::filesystem::path& folder) {
    const std::lock_guard lock(mutex_);
    for (auto& [path, file] : files_)
      if (std::filesystem::path(path).parent_path() == folder) file.name_synced = true;
  }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override;
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override;
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder,
                        IODebugContext* debug) override;
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* debug) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override;
  IOStatus GetFreeSpace(const std::string& path, const IOOptions& options, std::uint64_t* free,
                        IODebugContext* debug) override;

 private:
  struct Tracked {
    std::uint64_t synced_bytes = 0;
    bool name_synced = false;
  };

  mutable std::mutex mutex_;
  std::optional<std::uint64_t> room_;
  bool fail_syncs_ = false;
  bool holds_new_files_ = false;
  std::condition_variable released_;
  bool powered_ = true;
  std::map<std::string, Tracked> files_;  // those written since the disk was made
};

class FaultDisk::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path, FileSystem& disk)
      : rocksdb::FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), disk_(disk) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    if (IOStatus power = disk_.require_power(); !power.ok()) return power;
    const std::uint64_t fits = disk_.take_room(data.size());
    IOStatus status = target()->Append(Slice(data.data(), fits), options, debug);
    return status.ok() && fits < data.size() ? IOStatus::NoSpace("the disk is full") : status;
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    if (IOStatus power = disk_.require_power(); !power.ok()) return power;
    return target()->Truncate(size, options, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return noted(options, debug, &rocksdb::FSWritableFile::Sync);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return noted(options, debug, &rocksdb::FSWritableFile::Fsync);
  }

 private:
  using SyncCall = IOStatus (rocksdb::FSWritableFile::*)(const IOOptions&, IODebugContext*);
  IOStatus noted(const IOOptions& options, IODebugContext* debug, SyncCall sync) {
    if (IOStatus refused = disk_.require_sync(); !refused.ok()) return refused;
    const std::uint64_t size = target()->GetFileSize(options, debug);
    IOStatus status = (target()->*sync)(options, debug);
    if (status.ok()) disk_.note_synced(path_, size);
    return status;
  }

  std::string path_;
  FileSystem& disk_;
};

class FaultDisk::Folder final : public rocksdb::FSDirectoryWrapper {
 public:
  Folder(std::unique_ptr<rocksdb::FSDirectory> folder, std::string path, FileSystem& disk)
      : rocksdb::FSDirectoryWrapper(std::move(folder)), path_(std::move(path)), disk_(disk) {}
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return FsyncWithDirOptions(options, debug, rocksdb::DirFsyncOptions());
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& how) override {
    if (IOStatus refused = disk_.require_sync(); !refused.ok()) return refused;
    IOStatus status = rocksdb::FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how);
    if (status.ok()) disk_.note_folder_synced(path_);
    return status;
  }

 private:
  std::string path_;
  FileSystem& disk_;
};

IOStatus FaultDisk::FileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                                std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                IODebugContext* debug) {
  {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return !holds_new_files_; });
  }
  if (IOStatus power = require_power(); !power.ok()) return power;
  std::unique_ptr<rocksdb::FSWritableFile> real;
  IOStatus status = target()->NewWritableFile(path, options, &real, debug);
  if (!status.ok()) return status;
  {
    const std::lock_guard lock(mutex_);
    files_[path] = {};
  }
  *file = std::make_unique<File>(std::move(real), path, *this);
  return status;
}

IOStatus FaultDisk::FileSystem::ReopenWritableFile(const std::string& path,
                                                   const FileOptions& options,
                                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                   IODebugContext* debug) {
  if (IOStatus power = require_power(); !power.ok()) return power;
  std::unique_ptr<rocksdb::FSWritableFile> real;
  IOStatus status = target()->ReopenWritableFile(path, options, &real, debug);
  if (status.ok()) *file = std::make_unique<File>(std::move(real), path, *this);
  return status;
}

IOStatus FaultDisk::FileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                             std::unique_ptr<rocksdb::FSDirectory>* folder,
                                             IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> real;
  IOStatus status = target()->NewDirectory(path, options, &real, debug);
  if (status.ok()) *folder = std::make_unique<Folder>(std::move(real), path, *this);
  return status;
}

IOStatus FaultDisk::FileSystem::DeleteFile(const std::string& path, const IOOptions& options,
                                           IODebugContext* debug) {
  if (IOStatus power = require_power(); !power.ok()) return power;
  const std::lock_guard lock(mutex_);
  files_.erase(path);
  return target()->DeleteFile(path, options, debug);
}

IOStatus FaultDisk::FileSystem::RenameFile(const std::string& from, const std::string& to,
                                           const IOOptions& options, IODebugContext* debug) {
  if (IOStatus power = require_power(); !power.ok()) return power;
  const std::lock_guard lock(mutex_);
  IOStatus status = target()->RenameFile(from, to, options, debug);
  if (auto tracked = files_.extract(from); status.ok() && !tracked.empty()) {
    tracked.key() = to;
    files_.erase(to);
    files_.insert(std::move(tracked));
  }
  return status;
}

IOStatus FaultDisk::FileSystem::GetFreeSpace(const std::string& path, const IOOptions& options,
                                             std::uint64_t* free, IODebugContext* debug) {
  {
    const std::lock_guard lock(mutex_);
    if (room_) {
      *free = *room_;
      return IOStatus::OK();
    }
  }
  return target()->GetFreeSpace(path, options, free, debug);
}

void FaultDisk::FileSystem::restore_power(std::uint64_t torn_bytes) {
  const std::lock_guard lock(mutex_);
  for (auto& [path, file] : files_) {
    if (!std::filesystem::exists(path)) continue;
    if (!file.name_synced) {
      std::filesystem::remove(path);
      continue;
    }
    const std::uint64_t kept =
        std::min(std::filesystem::file_size(path), file.synced_bytes + torn_bytes);
    std::filesystem::resize_file(path, kept);
    file.synced_bytes = kept;
  }
  powered_ = true;
}

FaultDisk::FaultDisk()
    : file_system_(std::make_shared<FileSystem>()), env_(rocksdb::NewCompositeEnv(file_system_)) {}

FaultDisk::~FaultDisk() = default;

std::shared_ptr<rocksdb::Env> FaultDisk::env() const { return env_; }
void FaultDisk::set_room_bytes(std::optional<std::uint64_t> room) { file_system_->set_room(room); }
void FaultDisk::fail_syncs(bool fail) { file_system_->fail_syncs(fail); }
void FaultDisk::hold_new_files(bool hold) { file_system_->hold_new_files(hold); }
void FaultDisk::cut_power() { file_system_->cut_power(); }
void FaultDisk::restore_power(std::uint64_t torn_bytes) { file_system_->restore_power(torn_bytes); }

}  // namespace annolog::eventstore
