// What is said of audit rows when they are proved or handed out. Each shard numbers its rows 1, 2,
// 3 … without gaps, and each names the digest of the one before it. docs/decisions/0031.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

// Ids of audit rows are offset x 4096 + shard: places in all shards are numbers apart.
inline constexpr std::int64_t kAuditIdShards = 4096;

// In the place of a digest where there is none before.
inline constexpr std::string_view kNoDigest =
    "0000000000000000000000000000000000000000000000000000000000000000";

// The shard's rows behind `after` end with `number`; the data of that one has the SHA-256 `digest`.
struct AuditEnd {
  std::int64_t shard = 0;
  std::int64_t after = 0;
  std::int64_t number = 0;
  std::string digest;  // hex
  bool operator==(const AuditEnd&) const = default;
};
BOOST_DESCRIBE_STRUCT(AuditEnd, (), (shard, after, number, digest))

// Which rows are wanted; all that is set must fit.
struct AuditScope {
  std::optional<UserId> actor_id = {};
  std::optional<std::string> action = {};
  std::optional<std::string> target_type = {};
  std::optional<std::int64_t> target_id = {};
  std::optional<ProjectId> project_id = {};
  std::optional<std::int64_t> status_code = {};
  std::optional<Timestamp> from = {};  // at or after
  std::optional<Timestamp> to = {};    // before
  bool operator==(const AuditScope&) const = default;

  // Times alone leave the rows of each shard without gaps, so that none can be left out unseen.
  bool is_complete() const {
    return !actor_id && !action && !target_type && !target_id && !project_id && !status_code;
  }
};
BOOST_DESCRIBE_STRUCT(AuditScope, (),
                      (actor_id, action, target_type, target_id, project_id, status_code, from, to))

}  // namespace annolog
