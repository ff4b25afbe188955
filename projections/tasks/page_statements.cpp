#include "projections/tasks/page_statements.hpp"

#include <array>
#include <string>

namespace annolog::projections {
namespace {

// How a filter is set: statuses have three ways, the others two.
enum StatusMode : unsigned { kAnyStatus, kOneStatus, kSomeStatuses, kStatusModes };
enum Flag : unsigned {
  kAssignee = 1,
  kReviewer = 2,
  kDataset = 4,
  kSince = 8,
  kBatch = 16,
  kNoBatch = 32
};
constexpr unsigned kFlagSets = 48;  // one batch, or none
constexpr unsigned kKinds = 5;

struct Texts {
  std::string name;
  std::string sql;
};

std::string clauses(unsigned status, unsigned flags, int next) {
  const auto parameter = [&next] { return "$" + std::to_string(next++); };
  std::string sql;
  if (status == kOneStatus) sql += " AND t.status = " + parameter() + "::text";
  if (status == kSomeStatuses) sql += " AND t.status = ANY(" + parameter() + "::text[])";
  if ((flags & kAssignee) != 0) sql += " AND t.assignee_id = " + parameter() + "::bigint";
  if ((flags & kReviewer) != 0) sql += " AND t.reviewer_id = " + parameter() + "::bigint";
  if ((flags & kDataset) != 0) sql += " AND t.dataset_id = " + parameter() + "::bigint";
  if ((flags & kSince) != 0) sql += " AND t.updated_at_ms >= " + parameter() + "::bigint";
  if ((flags & kBatch) != 0) sql += " AND t.batch_id = " + parameter() + "::bigint";
  if ((flags & kNoBatch) != 0) sql += " AND t.batch_id IS NULL";
  return sql;
}

Texts make_texts(TaskPageKind kind, unsigned status, unsigned flags) {
  const std::string suffix = std::to_string(status) + "_" + std::to_string(flags);
  const std::string columns =
      "SELECT " TASK_COLUMNS " FROM tasks t WHERE t.project_id = $1::bigint";
  const std::string page =
      " AND t.id > $3::bigint" + clauses(status, flags, 4) + " ORDER BY t.id LIMIT $2::bigint";
  switch (kind) {
    case TaskPageKind::by_cursor: return {"tasks_page_" + suffix, columns + page};
    case TaskPageKind::keys:
      return {"tasks_keys_" + suffix,
              "SELECT t.id, t.version FROM tasks t WHERE t.project_id = $1::bigint" + page};
    case TaskPageKind::by_offset:
      return {"tasks_offset_" + suffix, columns + clauses(status, flags, 4) +
                                            " ORDER BY t.id LIMIT $2::bigint OFFSET $3::bigint"};
    case TaskPageKind::across:
      // Of each project no more than a page is looked at, whatever its size.
      return {"tasks_across_" + suffix,
              "SELECT " TASK_COLUMNS
              " FROM unnest($1::bigint[]) p(id) CROSS JOIN LATERAL ("
              "SELECT * FROM tasks t WHERE t.project_id = p.id AND t.id > $3::bigint" +
                  clauses(status, flags, 4) +
                  " ORDER BY t.id LIMIT $2::bigint) t ORDER BY t.id LIMIT $2::bigint"};
    case TaskPageKind::total: break;
  }
  return {"tasks_total_" + suffix,
          "SELECT count(*) FROM (SELECT 1 FROM tasks t WHERE t.project_id = $1::bigint" +
              clauses(status, flags, 3) + " LIMIT $2::bigint) counted"};
}

using Table = std::array<Texts, kKinds * kStatusModes * kFlagSets>;

std::size_t index_of(TaskPageKind kind, unsigned status, unsigned flags) {
  return (static_cast<std::size_t>(kind) * kStatusModes + status) * kFlagSets + flags;
}

struct Statements {
  Table texts;
  std::vector<Statement> statements;

  Statements() {
    for (unsigned kind = 0; kind < kKinds; ++kind) {
      for (unsigned status = 0; status < kStatusModes; ++status) {
        for (unsigned flags = 0; flags < kFlagSets; ++flags) {
          const auto page = static_cast<TaskPageKind>(kind);
          texts[index_of(page, status, flags)] = make_texts(page, status, flags);
        }
      }
    }
    for (const Texts& t : texts) statements.push_back({t.name.c_str(), t.sql.c_str()});
  }
};

const Statements& all() {
  static const Statements table;
  return table;
}

}  // namespace

const Statement& task_page_statement(TaskPageKind kind, const TaskFilter& filter) {
  const unsigned status = filter.statuses.empty()       ? kAnyStatus
                          : filter.statuses.size() == 1 ? kOneStatus
                                                        : kSomeStatuses;
  unsigned flags = 0;
  if (filter.assignee_id) flags |= kAssignee;
  if (filter.reviewer_id) flags |= kReviewer;
  if (filter.dataset_id) flags |= kDataset;
  if (filter.updated_since) flags |= kSince;
  if (filter.batch_id) {
    flags |= kBatch;
  } else if (filter.without_batch) {
    flags |= kNoBatch;
  }
  return all().statements[index_of(kind, status, flags)];
}

void add_filter_params(Params& params, const TaskFilter& filter) {
  if (filter.statuses.size() == 1) params.add(word_of(filter.statuses.front()));
  if (filter.statuses.size() > 1) {
    add_column(params, PgType::text, filter.statuses, [](TaskStatus s) { return word_of(s); });
  }
  if (filter.assignee_id) params.add(filter.assignee_id->value);
  if (filter.reviewer_id) params.add(filter.reviewer_id->value);
  if (filter.dataset_id) params.add(filter.dataset_id->value);
  if (filter.updated_since) params.add(filter.updated_since->ms);
  if (filter.batch_id) params.add(filter.batch_id->value);
}

std::vector<Statement> task_page_statements() { return all().statements; }

}  // namespace annolog::projections
