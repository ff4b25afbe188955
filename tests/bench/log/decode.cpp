// Reads a log from its beginning and decodes every event: the floor below each rebuild.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "domain/codec/events.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"
#include "tests/bench/log/options.hpp"

namespace annolog::bench {

void decode_log(const LogOptions& options) {
  using namespace eventstore;
  RocksdbLogOptions log_options;
  log_options.folder = options.folder;
  log_options.shard_count = 0;
  log_options.read_only = true;
  const auto log = open_rocksdb_log(log_options);
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
    const ShardId shard(s);
    for (Offset at; at < log->end(shard);) {
      for (const auto& record : log->read(shard, at, ReadLimits{})) {
        static_cast<void>(
            codec::decode_event(record.headers.type, record.headers.schema_version, record.data));
        at = record.position.offset;
        ++records;
        bytes += record.data.size();
      }
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::puts(nlohmann::json{{"records", records}, {"bytes", bytes}, {"seconds", took.count()}}
                .dump()
                .c_str());
}

}  // namespace annolog::bench
