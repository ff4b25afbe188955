// A row of the audit as it is shown. Plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/audit/events.hpp"
#include "domain/user/view.hpp"

namespace annolog::api {

struct AuditDetailView {
  std::string request_id;
  std::optional<std::string> user_agent{};
  std::optional<std::string> reason{};
  std::optional<std::vector<std::int64_t>> batch_ids{};
  std::optional<std::vector<std::string>> display_ids{};  // that are no batch
  std::optional<std::string> format{};
  std::optional<std::string> display_id{};
  std::optional<std::string> code{};  // why it was refused
  std::optional<bool> replayed{};     // an earlier answer, given again
  static constexpr std::array<std::string_view, 8> kOmitWhenEmpty{
      "user_agent", "reason",     "batch_ids", "display_ids",
      "format",     "display_id", "code",      "replayed"};
};
BOOST_DESCRIBE_STRUCT(AuditDetailView, (),
                      (request_id, user_agent, reason, batch_ids, display_ids, format, display_id,
                       code, replayed))

struct AuditLogView {
  std::int64_t id = 0;
  std::optional<UserId> actor_id;  // null: nobody, or the operator of the machine
  std::optional<UserBrief> actor;
  std::optional<std::string> actor_email;  // null: none, or erased
  std::optional<Role> actor_role;          // the global one, at that time
  CallerProof proof = CallerProof::nobody;
  std::string action;
  std::string target_type;
  std::optional<std::int64_t> target_id;
  std::optional<ProjectId> project_id;
  std::string method;
  std::string path;
  std::int64_t status_code = 0;
  std::optional<std::string> ip;  // null: erased
  AuditDetailView detail_json;
  Timestamp created_at;
};
BOOST_DESCRIBE_STRUCT(AuditLogView, (),
                      (id, actor_id, actor, actor_email, actor_role, proof, action, target_type,
                       target_id, project_id, method, path, status_code, ip, detail_json,
                       created_at))

}  // namespace annolog::api
