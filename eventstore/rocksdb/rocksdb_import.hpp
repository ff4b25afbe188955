// A copy of a log into an embedded one: see record_import.hpp. Its folder is made when absent, and
// held by the import as by a log.
#pragma once

#include <memory>

#include "eventstore/record_import.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"

namespace annolog::eventstore {

// Throws also LogCorrupted and LogUnavailable, as open_rocksdb_log() does. A folder that is refused
// is left as it was. `options.shard_count` does not count here.
std::unique_ptr<RecordImport> open_rocksdb_import(RocksdbLogOptions options, const LogInfo& info);

}  // namespace annolog::eventstore
