// What is signed of the audit and the log, as JSON texts. A text is signed as it is and carried as
// it is: whoever checks it needs no rule of how JSON is written. docs/decisions/0031.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/audit/proof.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::workers {

std::string hex_digest(std::string_view text);  // SHA-256

// The log's record at `position` of the shard has this chain (docs/log-format.md, "Chain").
struct LogHead {
  std::int64_t shard = 0;
  std::int64_t position = 0;
  std::string chain;  // hex
  bool operator==(const LogHead&) const = default;
};
BOOST_DESCRIBE_STRUCT(LogHead, (), (shard, position, chain))

struct Checkpoint {
  static constexpr std::string_view kFormat = "annolog-checkpoint-1";
  std::string format{kFormat};
  std::string log_id;
  std::int64_t number = 0;  // 1, 2, 3 … without gaps
  Timestamp at;
  std::string previous;  // digest of the statement of the checkpoint before
  std::vector<LogHead> heads;
  std::vector<AuditEnd> audit;  // of all rows: `after` is 0
};
BOOST_DESCRIBE_STRUCT(Checkpoint, (), (format, log_id, number, at, previous, heads, audit))

// The first line of an export or archive: which rows it is of, as of its snapshot.
struct AuditFileHeader {
  static constexpr std::string_view kFormat = "annolog-audit-1";
  std::string format{kFormat};
  std::string log_id;
  Timestamp at;
  AuditScope scope;
  bool complete = false;  // every row between the heads' `after` and `number` is in it
  std::vector<AuditEnd> audit;
};
BOOST_DESCRIBE_STRUCT(AuditFileHeader, (), (format, log_id, at, scope, complete, audit))

// The last line: `seal` is that of the last row, so that the signature holds for every byte.
struct AuditFileEnd {
  static constexpr std::string_view kFormat = "annolog-audit-end-1";
  std::string format{kFormat};
  std::int64_t rows = 0;
  std::string seal;
};
BOOST_DESCRIBE_STRUCT(AuditFileEnd, (), (format, rows, seal))

}  // namespace annolog::workers
