// Reads a log from its beginning, wherever it lies, and prints how long that took.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "domain/codec/events.hpp"
#include "eventstore/event_log.hpp"
#include "eventstore/for_each_shard.hpp"

namespace annolog::bench {

inline void print_reading(std::uint64_t records, std::uint64_t bytes,
                          std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::puts(nlohmann::json{{"records", records}, {"bytes", bytes}, {"seconds", took.count()}}
                .dump()
                .c_str());
}

inline void read_whole_log(const eventstore::EventLog& log, bool decode) {
  std::atomic<std::uint64_t> records = 0;
  std::atomic<std::uint64_t> bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  eventstore::for_each_shard(log.shard_count(), [&](eventstore::ShardId shard) {
    for (eventstore::Offset at; at < log.end(shard);) {
      const auto batch = log.read(shard, at, {});
      std::uint64_t batch_bytes = 0;
      for (const auto& record : batch) {
        if (decode)
          static_cast<void>(
              codec::decode_event(record.headers.type, record.headers.schema_version, record.data));
        at = record.position.offset;
        batch_bytes += record.data.size();
      }
      bytes += batch_bytes;
      records += batch.size();
    }
  });
  print_reading(records, bytes, start);
}

}  // namespace annolog::bench
