// A write request as the audit keeps it: what only the edge knows of it. It travels with the
// request's command, so that the row is written by the very commit that decides it.
// Source: specification, "Audit log"; docs/decisions/0032.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/identity/permissions.hpp"
#include "domain/identity/sealed.hpp"
#include "domain/support/ids.hpp"

namespace annolog {

inline constexpr std::size_t kMaxAuditedAgent = 256;    // characters of a user agent that are kept
inline constexpr std::size_t kMaxAuditedReason = 2000;  // as long as any reason may be

// How the caller proved who they are. `nobody`: not at all, or not well enough.
enum class CallerProof : std::uint8_t { nobody, token, api_key, signing_in, operator_key };
BOOST_DESCRIBE_ENUM(CallerProof, nobody, token, api_key, signing_in, operator_key)

struct RequestDetail {
  std::optional<std::string> reason{};
  std::optional<std::vector<std::int64_t>> batch_ids{};   // of a call about many
  std::optional<std::vector<std::string>> display_ids{};  // as it named what no batch is called
  std::optional<std::string> format{};                    // of an export or import
  std::optional<std::string> display_id{};                // of the target
  std::optional<std::string> code{};                      // why it was refused
  std::optional<bool> replayed{};  // the answer to an earlier request, given again
  static constexpr std::array<std::string_view, 7> kOmitWhenEmpty{
      "reason", "batch_ids", "display_ids", "format", "display_id", "code", "replayed"};
  bool operator==(const RequestDetail&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestDetail, (),
                      (reason, batch_ids, display_ids, format, display_id, code, replayed))

// The person's address and user agent, sealed together: {"ip": …, "user_agent": …}; those of a
// caller who is nobody by a key of the service. `ip`: in the clear, read but not written any more.
struct RequestOrigin {
  std::optional<Sealed> sealed{};
  std::optional<std::string> ip{};
  static constexpr std::array<std::string_view, 2> kOmitWhenEmpty{"sealed", "ip"};
  bool operator==(const RequestOrigin&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestOrigin, (), (sealed, ip))

struct RequestFacts {
  std::string action;  // "task.reject"
  std::string method;
  std::string path;           // a secret in it is left out
  std::int64_t status = 200;  // of the answer; while it is undecided: when all goes well
  CallerProof proof = CallerProof::nobody;
  std::string target_type;
  std::optional<std::int64_t> target_id;
  std::optional<ProjectId> project_id;
  std::optional<TaskId> task_id;  // in the path: its project is the request's; not kept
  RequestOrigin origin;
  RequestDetail detail;
  bool operator==(const RequestFacts&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestFacts, (),
                      (action, method, path, status, proof, target_type, target_id, project_id,
                       task_id, origin, detail))

}  // namespace annolog
