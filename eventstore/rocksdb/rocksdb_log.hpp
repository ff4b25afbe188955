// Opens the embedded log. Any thread; one process at a time holds the folder (a lock file).
// Throws LogRefused (another shard count, another format, held by another process), LogCorrupted
// (names shard and offset, or the file), LogUnavailable. Source: docs/log-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

struct RocksdbLogOptions {
  std::filesystem::path folder;  // created when absent
  std::uint16_t shard_count =
      64;                  // must be what the log was created with; 0 when only reading: any
  bool read_only = false;  // for verify and stat; beside a running service too
  std::size_t block_cache_bytes = 64U << 20U;
  std::size_t write_buffer_bytes = 96U << 20U;  // of all column families together
  // Commits are refused while less than this is free: room for what RocksDB itself must write, a
  // flush of all that is in memory before anything else.
  std::uint64_t min_free_bytes = write_buffer_bytes + (32U << 20U);
  int resume_backoff_ms = 200;            // first pause between tries to resume, doubled up to 5 s
  int longest_resume_ms = 60'000;         // then writing has stopped until the next start
  std::uint64_t open_check_records = 16;  // of each shard's tail, re-hashed on open
  // Warnings and errors of the store, one line each; called from any thread. Empty: dropped.
  std::function<void(std::string_view line)> warn = {};
};

std::unique_ptr<EventLog> open_rocksdb_log(const RocksdbLogOptions& options);

}  // namespace annolog::eventstore
