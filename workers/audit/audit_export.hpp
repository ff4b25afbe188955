// Writes the audit rows of a snapshot in the form that can be checked (audit_file.hpp). Any thread,
// blocking; errors as in projections/queries/read_pool.hpp, and what the sink throws.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "platform/clock.hpp"
#include "projections/audit/snapshot.hpp"
#include "projections/engine/unseal.hpp"
#include "workers/audit/audit_file.hpp"

namespace annolog::workers {

struct AuditLog {
  std::string log_id;
  std::uint16_t shard_count = 0;
};

// The row with what its person's key still opens.
// Without `unseal`: nothing of what is personal.
AuditFileRow readable(projections::AuditRecord record, const projections::Unseal& unseal);

// What the header says of the snapshot.
AuditFileHeader header_of(projections::AuditSnapshot& snapshot, const AuditScope& scope,
                          const AuditLog& log, Timestamp now);

// All of the file. `go_on` hears how many rows are written after every thousand; false: it is
// given up, and the file has no end.
bool write_audit_file(projections::AuditSnapshot& snapshot, const AuditFileHeader& header,
                      AuditFileWriter& writer, const projections::Unseal& unseal,
                      const std::function<bool(std::int64_t rows)>& go_on);

}  // namespace annolog::workers
