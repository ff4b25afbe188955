#include "projections/audit/page_statements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <string_view>

namespace annolog::projections {
namespace {

enum Flag : unsigned {
  kActor = 1,
  kAction = 2,
  kSeldomAction = 4,
  kTargetType = 8,
  kSeldomType = 16,
  kTargetId = 32,
  kProject = 64,
  kStatus = 128,
  kSeldomStatus = 256,
  kFlagsEnd = 512
};

// What nearly all rows are of is met soon by who walks back in time; all else has an index of its
// own, which the usual row has no entry in (migrations/read/indexes.sql names the same).
#define AUDIT_USUAL_ACTION "annotation.create"
#define AUDIT_USUAL_TYPE "task"
#define AUDIT_USUAL_STATUSES "(200, 201)"
constexpr std::array<std::int64_t, 2> kUsualStatuses{200, 201};

struct Condition {
  unsigned flag;
  const char* name;
  const char* sql;
  const char* type;
};
constexpr std::array<Condition, 9> kConditions{{
    {kActor, "_actor", " AND a.actor_id = ", "::bigint"},
    {kAction, "_action", " AND a.action = ", "::text"},
    {kSeldomAction, "_seldom_action",
     " AND a.action <> '" AUDIT_USUAL_ACTION "' AND a.action = ", "::text"},
    {kTargetType, "_type", " AND a.target_type = ", "::text"},
    {kSeldomType, "_seldom_type",
     " AND a.target_type <> '" AUDIT_USUAL_TYPE "' AND a.target_type = ", "::text"},
    {kTargetId, "_target", " AND a.target_id = ", "::bigint"},
    {kProject, "_project", " AND a.project_id = ", "::bigint"},
    {kStatus, "_status", " AND a.status = ", "::bigint"},
    {kSeldomStatus, "_seldom_status",
     " AND a.status NOT IN " AUDIT_USUAL_STATUSES " AND a.status = ", "::bigint"},
}};

bool is_usual_status(std::int64_t status) {
  return std::ranges::find(kUsualStatuses, status) != kUsualStatuses.end();
}

template <class Value>
unsigned flag_of(const std::optional<Value>& value, bool is_usual, unsigned usual,
                 unsigned seldom) {
  if (!value) return 0;
  return is_usual ? usual : seldom;
}

unsigned flags_of(const AuditScope& scope) {
  // With an id of the target its index is the one that leads to few.
  const bool by_target = scope.target_id.has_value();
  return (scope.actor_id ? kActor : 0U) |
         flag_of(scope.action, by_target || scope.action == AUDIT_USUAL_ACTION, kAction,
                 kSeldomAction) |
         flag_of(scope.target_type, by_target || scope.target_type == AUDIT_USUAL_TYPE, kTargetType,
                 kSeldomType) |
         (by_target ? kTargetId : 0U) | (scope.project_id ? kProject : 0U) |
         flag_of(scope.status_code, is_usual_status(scope.status_code.value_or(0)), kStatus,
                 kSeldomStatus);
}

struct Texts {
  std::string name;
  std::string sql;
};

Texts texts_of(AuditPageKind kind, unsigned flags) {
  const bool is_whole = kind == AuditPageKind::rows;
  Texts texts{is_whole ? "audit_page" : "audit_keys",
              is_whole ? "SELECT " AUDIT_COLUMNS : "SELECT a.id"};
  texts.sql +=
      " FROM audit_rows a WHERE a.at_ms >= $1::bigint AND a.at_ms < $2::bigint "
      "AND (a.at_ms, a.id) < ($3::bigint, $4::bigint)";
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

// A target has few rows. Of two other conditions either may be the one that few rows meet: the best
// index hangs on the values.
bool has_one_best_index(unsigned flags) {
  return (flags & kTargetId) != 0 || std::popcount(flags) < 2;
}

// Of one kind, by flags.
struct Statements {
  explicit Statements(AuditPageKind kind) {
    for (unsigned flags = 0; flags < kFlagsEnd; ++flags) {
      texts[flags] = texts_of(kind, flags);
      all[flags] = {.name = texts[flags].name.c_str(),
                    .sql = texts[flags].sql.c_str(),
                    .kept = has_one_best_index(flags)};
    }
  }
  std::array<Texts, kFlagsEnd> texts;
  std::array<Statement, kFlagsEnd> all;
};

const std::array<Statement, kFlagsEnd>& all_statements(AuditPageKind kind) {
  static const Statements rows(AuditPageKind::rows);
  static const Statements keys(AuditPageKind::keys);
  return kind == AuditPageKind::rows ? rows.all : keys.all;
}

}  // namespace

const Statement& audit_page_statement(AuditPageKind kind, const AuditScope& scope) {
  return all_statements(kind)[flags_of(scope)];
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
  // No scope has both of these.
  constexpr std::array<unsigned, 5> kNever{kStatus | kSeldomStatus, kTargetType | kSeldomType,
                                           kTargetId | kSeldomType, kAction | kSeldomAction,
                                           kTargetId | kSeldomAction};
  std::vector<Statement> all;
  for (const AuditPageKind kind : {AuditPageKind::rows, AuditPageKind::keys}) {
    for (unsigned flags = 0; flags < kFlagsEnd; ++flags) {
      const bool is_of_none =
          std::ranges::any_of(kNever, [&](unsigned both) { return (flags & both) == both; });
      if (!is_of_none) all.push_back(all_statements(kind)[flags]);
    }
  }
  return all;
}

}  // namespace annolog::projections
