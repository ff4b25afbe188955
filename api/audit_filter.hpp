// What the list of the audit and its export are narrowed by: the same query parameters, with the
// same bounds and the same meaning.
#pragma once

#include <vector>

#include "api/http/schema_rules.hpp"
#include "domain/audit/proof.hpp"
#include "domain/support/error.hpp"

namespace annolog::api {

// For SchemaRules of queries that have the fields of AuditScope.
inline void audit_filter_rules(http::ObjectRules& rules) {
  rules.field("action").length(1, 100).describe("As it is shown, e.g. task.reject.");
  rules.field("target_type").length(1, 40).describe("E.g. task, batch, project, user.");
  rules.field("status_code").range(100, 599);
  rules.field("from").describe("At this time or later.");
  rules.field("to").describe("Before this time.");
}

template <class Query>
void check_audit_filter(const Query& query, std::vector<FieldError>& errors) {
  if (query.from && query.to && *query.to < *query.from)
    errors.push_back({{"to"}, "Must not be earlier than from.", "out_of_range"});
}

template <class Query>
AuditScope scope_of(const Query& query) {
  return {.actor_id = query.actor_id,
          .action = query.action,
          .target_type = query.target_type,
          .target_id = query.target_id,
          .project_id = query.project_id,
          .status_code = query.status_code,
          .from = query.from,
          .to = query.to};
}

}  // namespace annolog::api
