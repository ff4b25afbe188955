// Facts about requests: the audit. They lie in the shard that decided the request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "domain/audit/request.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

// Each request once, a refused one too. All that a row of the audit says is in its data, so that
// the rows of a shard, without the records between them, are a chain that can be checked: each
// names the digest of the one before.
struct RequestRecorded {
  static constexpr std::string_view kType = "request.recorded";
  static constexpr int kVersion = 1;
  std::int64_t number = 0;  // 1, 2, 3 … within the shard
  std::string previous;     // SHA-256, in hex, of the data of the shard's request before; first: 0s
  Timestamp at;
  std::optional<UserId> actor_id;  // null: nobody, or the operator of the machine
  std::optional<Role> actor_role;  // the global one, then
  std::string request_id;
  std::string action;
  std::string method;
  std::string path;
  std::int64_t status = 0;
  CallerProof proof = CallerProof::nobody;
  std::string target_type;
  std::optional<std::int64_t> target_id;
  std::optional<ProjectId> project_id;
  RequestOrigin origin;
  RequestDetail detail;
  bool operator==(const RequestRecorded&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestRecorded, (),
                      (number, previous, at, actor_id, actor_role, request_id, action, method, path,
                       status, proof, target_type, target_id, project_id, origin, detail))

}  // namespace annolog
