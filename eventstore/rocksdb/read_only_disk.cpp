#include "eventstore/rocksdb/read_only_disk.hpp"

#include <rocksdb/file_system.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace annolog::eventstore {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

IOStatus translated(IOStatus status) {
  if (status.IsNoSpace() || !is_read_only_disk(status)) return status;
  return IOStatus::NoSpace(status.ToString());
}

class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    return translated(FSWritableFileOwnerWrapper::Append(data, options, debug));
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return translated(FSWritableFileOwnerWrapper::Append(data, options, verification, debug));
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    return translated(FSWritableFileOwnerWrapper::Truncate(size, options, debug));
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    return translated(FSWritableFileOwnerWrapper::Close(options, debug));
  }
};

class ReadOnlyAsFull final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "ReadOnlyAsFull"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* result,
                           IODebugContext* debug) override {
    std::unique_ptr<FSWritableFile> file;
    IOStatus status = FileSystemWrapper::NewWritableFile(name, options, &file, debug);
    if (status.ok()) *result = std::make_unique<WritableFile>(std::move(file));
    return translated(std::move(status));
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    return translated(FileSystemWrapper::RenameFile(from, to, options, debug));
  }
};

}  // namespace

bool is_read_only_disk(const rocksdb::Status& status) {
  static const std::string kText = std::generic_category().message(EROFS);
  return status.IsIOError() && status.ToString().find(kText) != std::string::npos;
}

std::shared_ptr<rocksdb::Env> env_with_read_only_as_full() {
  return rocksdb::NewCompositeEnv(std::make_shared<ReadOnlyAsFull>(rocksdb::FileSystem::Default()));
}

}  // namespace annolog::eventstore
