// A disk that turned read-only, told to RocksDB as a full one. RocksDB takes up writing again after
// a full disk only; any other failed write it holds against the database until it is opened anew.
// Nothing is known to be lost in either case: a failed sync is not among what is translated.
// Internal to rocksdb/. Any thread.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/status.h>

#include <memory>

namespace annolog::eventstore {

bool is_read_only_disk(const rocksdb::Status& status);

// The real file system, seen so.
std::shared_ptr<rocksdb::Env> env_with_read_only_as_full();

}  // namespace annolog::eventstore
