// Audit rows to be handed out: how many, where each shard's end, and the rows, oldest first, all of
// one REPEATABLE READ snapshot. Memory stays flat however many there are.
// One thread. Errors as in queries/read_pool.hpp, from the constructor and from every call; after
// one the object is spent. It holds a connection of its own and a snapshot: keep it briefly.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/audit/proof.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct AuditRecord {
  std::int64_t id = 0;
  Timestamp at;
  std::string data;                        // the event's JSON, byte for byte
  std::optional<std::string> actor_email;  // as it is now
};

class AuditSnapshot {
 public:
  AuditSnapshot(ReadPool& pool, AuditScope scope);
  ~AuditSnapshot();
  AuditSnapshot(const AuditSnapshot&) = delete;
  AuditSnapshot& operator=(const AuditSnapshot&) = delete;

  // Counts no further than `most`.
  std::int64_t count(std::int64_t most);
  std::optional<Timestamp> first_at();
  // Of the shards that have rows between the scope's times, whatever its other filters.
  std::vector<AuditEnd> heads(std::uint16_t shard_count);
  // The next thousand at most; none after the last.
  std::vector<AuditRecord> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::projections
