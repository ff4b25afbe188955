#include "projections/audit/page_statements.hpp"

#include <array>
#include <limits>
#include <string>

namespace annolog::projections {
namespace {

enum Flag : unsigned {
  kActor = 1,
  kAction = 2,
  kTargetType = 4,
  kTargetId = 8,
  kProject = 16,
  kStatus = 32,
  kFlagsEnd = 64
};

struct Condition {
  unsigned flag;
  const char* name;
  const char* sql;
  const char* type;
};
constexpr std::array<Condition, 6> kConditions{{
    {kActor, "_actor", " AND a.actor_id = ", "::bigint"},
    {kAction, "_action", " AND a.action = ", "::text"},
    {kTargetType, "_type", " AND a.target_type = ", "::text"},
    {kTargetId, "_target", " AND a.target_id = ", "::bigint"},
    {kProject, "_project", " AND a.project_id = ", "::bigint"},
    {kStatus, "_status", " AND a.status = ", "::bigint"},
}};

unsigned flags_of(const AuditScope& scope) {
  return (scope.actor_id ? kActor : 0U) | (scope.action ? kAction : 0U) |
         (scope.target_type ? kTargetType : 0U) | (scope.target_id ? kTargetId : 0U) |
         (scope.project_id ? kProject : 0U) | (scope.status_code ? kStatus : 0U);
}

struct Texts {
  std::string name;
  std::string sql;
};

Texts texts_of(unsigned flags) {
  Texts texts{"audit_page",
              "SELECT " AUDIT_COLUMNS
              " FROM audit_rows a WHERE a.at_ms >= $1::bigint AND a.at_ms < $2::bigint "
              "AND (a.at_ms, a.id) < ($3::bigint, $4::bigint)"};
  int next = 6;
  for (const Condition& condition : kConditions) {
    if ((flags & condition.flag) == 0) continue;
    texts.name += condition.name;
    texts.sql += condition.sql;
    texts.sql += "$" + std::to_string(next++) + condition.type;
  }
  texts.sql += " ORDER BY a.at_ms DESC, a.id DESC LIMIT $5::bigint";
  return texts;
}

const std::array<Texts, kFlagsEnd>& all_texts() {
  static const auto all = [] {
    std::array<Texts, kFlagsEnd> made;
    for (unsigned flags = 0; flags < kFlagsEnd; ++flags) made[flags] = texts_of(flags);
    return made;
  }();
  return all;
}

const std::array<Statement, kFlagsEnd>& all_statements() {
  static const auto all = [] {
    std::array<Statement, kFlagsEnd> made;
    for (unsigned flags = 0; flags < kFlagsEnd; ++flags)
      made[flags] = {all_texts()[flags].name.c_str(), all_texts()[flags].sql.c_str()};
    return made;
  }();
  return all;
}

}  // namespace

const Statement& audit_page_statement(const AuditScope& scope) {
  return all_statements()[flags_of(scope)];
}

Params audit_page_params(const AuditScope& scope, const std::optional<TimeCursor>& after,
                         std::int64_t rows) {
  const TimeCursor start = after.value_or(kAfterAll);
  Params params;
  params.add(scope.from ? scope.from->ms : std::numeric_limits<std::int64_t>::min());
  params.add(scope.to ? scope.to->ms : std::numeric_limits<std::int64_t>::max());
  params.add(start.at.ms).add(start.id).add(rows);
  if (scope.actor_id) params.add(scope.actor_id->value);
  if (scope.action) params.add(*scope.action);
  if (scope.target_type) params.add(*scope.target_type);
  if (scope.target_id) params.add(*scope.target_id);
  if (scope.project_id) params.add(scope.project_id->value);
  if (scope.status_code) params.add(*scope.status_code);
  return params;
}

std::vector<Statement> audit_page_statements() {
  return {all_statements().begin(), all_statements().end()};
}

}  // namespace annolog::projections
