// Opens the log on a file system of the caller's, for tests that break it. Otherwise as
// rocksdb_log.hpp.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "eventstore/rocksdb/rocksdb_log.hpp"

namespace annolog::eventstore {

std::unique_ptr<EventLog> open_rocksdb_log(const RocksdbLogOptions& options,
                                           std::shared_ptr<rocksdb::Env> env);

}  // namespace annolog::eventstore
