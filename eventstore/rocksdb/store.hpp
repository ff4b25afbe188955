// The open RocksDB database with its column families. Internal to rocksdb/. Any thread.
// open_store() throws as open_rocksdb_log() does.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <memory>
#include <string>

#include "eventstore/rocksdb/disk_watch.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"

namespace annolog::eventstore {

struct DropFamily {
  rocksdb::DB* db = nullptr;
  void operator()(rocksdb::ColumnFamilyHandle* family) const;
};
using Family = std::unique_ptr<rocksdb::ColumnFamilyHandle, DropFamily>;

struct Store {
  std::shared_ptr<rocksdb::Env> env;  // first: everything below uses it until its destructor
  std::shared_ptr<SyncWatch> sync_watch;
  std::shared_ptr<WarningLines> warnings;
  std::unique_ptr<rocksdb::DB> db;
  // Below `db`, so that they are freed before it.
  Family default_family;
  Family records;
  Family state;
  Family meta;
};

// `env` null: the real file system.
Store open_store(const RocksdbLogOptions& options, std::shared_ptr<rocksdb::Env> env);

// Turns a failed read into an exception: LogCorrupted for damage, LogUnavailable for the rest.
[[noreturn]] void throw_read_error(const rocksdb::Status& status, const std::string& what);

}  // namespace annolog::eventstore
