// Builds the read models anew from the log, in a schema beside the live one, and swaps the two in
// one transaction when the new one has caught up. Reads never stop, and a running projector (of
// this or another process) goes on with the new schema by itself. Works without a projector too.
// One call, any thread, blocking until done. Only one rebuild of a database runs at a time.
// Errors: RebuildRefused when another one runs; RebuildCancelled; PgUnavailable, PgError, and what
// the log throws: the live schema is then as it was, and the next rebuild starts from nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "eventstore/event_log.hpp"
#include "platform/log.hpp"
#include "projections/engine/unseal.hpp"

namespace annolog::projections {

// Raised whenever a projection's code or the read schema changes its meaning: a start rebuilds.
inline constexpr std::int64_t kReadModelVersion = 1;

class RebuildRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RebuildCancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RebuildProgress {
  std::uint64_t applied = 0;  // records, over all shards
  std::uint64_t total = 0;    // in the log now
};

struct RebuildOptions {
  std::string database_url;
  std::size_t batch_records = 5'000;
  std::size_t batch_bytes = 8U << 20U;
  // After each batch, on the caller's thread.
  std::function<void(const RebuildProgress&)> on_progress = {};
  // Asked before each batch and while waiting for PostgreSQL.
  std::function<bool()> cancelled = {};
};

struct RebuildReport {
  std::uint64_t records = 0;
  std::uint64_t parked = 0;
  std::int64_t generation = 0;  // of the schema that is live now
};

RebuildReport rebuild_read_models(eventstore::EventLog& log, const Unseal& unseal,
                                  platform::Logger& logger, const RebuildOptions& options);

}  // namespace annolog::projections
