// Reads a log from its beginning and decodes every event: the floor below each rebuild.
#include "eventstore/rocksdb/rocksdb_log.hpp"
#include "tests/bench/log/options.hpp"
#include "tests/bench/whole_log.hpp"

namespace annolog::bench {

void decode_log(const LogOptions& options) {
  using namespace eventstore;
  RocksdbLogOptions log_options;
  log_options.folder = options.folder;
  log_options.shard_count = 0;
  log_options.read_only = true;
  const auto log = open_rocksdb_log(log_options);
  read_whole_log(*log, true);
}

}  // namespace annolog::bench
