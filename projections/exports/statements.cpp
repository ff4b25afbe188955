#include "projections/exports/statements.hpp"

#include <set>

#include "projections/annotations/rows.hpp"
#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

#define EXPORT_TASK_COLUMNS                                                      \
  "t.id, t.number, t.dataset_item_id, t.file_name, t.file_path, t.image_width, " \
  "t.image_height, t.status"

// Task by task along the index, so that the first row comes at once and nothing is sorted as a
// whole: the ORDER BY within keeps the annotations' part a lookup per task.
constexpr const char kAnnotated[] =
    "SELECT " EXPORT_TASK_COLUMNS ", x.* FROM tasks t LEFT JOIN LATERAL (SELECT " ANNOTATION_COLUMNS
    " FROM annotations a" ANNOTATION_CLASS_JOIN
    "WHERE a.task_id = t.id AND a.deleted_at_ms IS NULL";
constexpr const char kAnnotatedEnd[] = " ORDER BY a.id OFFSET 0) x ON true ";
constexpr const char kTasksOnly[] = "SELECT " EXPORT_TASK_COLUMNS " FROM tasks t ";

// "a, b, c", each once.
template <class Range, class Write>
std::string listed(const Range& range, Write write) {
  std::set<std::string> parts;
  for (const auto& one : range) parts.insert(write(one));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// One status leads along its index, in the order of the tasks. Several would have to be sorted by
// that index: under another collation it does not serve, and the index of all tasks is walked.
std::string status_clause(const std::vector<TaskStatus>& statuses) {
  const std::set<TaskStatus> wanted(statuses.begin(), statuses.end());
  if (wanted.empty()) return "";
  const std::string words =
      listed(wanted, [](TaskStatus status) { return "'" + std::string(word_of(status)) + "'"; });
  if (wanted.size() == 1) return " AND t.status = " + words;
  return " AND t.status COLLATE \"C\" IN (" + words + ")";
}

}  // namespace

std::string export_statement(const ExportScope& scope, bool with_annotations) {
  std::string sql = kTasksOnly;
  if (with_annotations) {
    sql = kAnnotated;
    if (!scope.class_ids.empty()) {
      const auto id = [](ClassId class_id) { return std::to_string(class_id.value); };
      sql += " AND a.class_id IN (" + listed(scope.class_ids, id) + ")";
    }
    sql += kAnnotatedEnd;
  }
  sql += "WHERE t.project_id = " + std::to_string(scope.project_id.value);
  if (scope.batch_id) sql += " AND t.batch_id = " + std::to_string(scope.batch_id->value);
  return sql + status_clause(scope.statuses) + " ORDER BY t.id";
}

}  // namespace annolog::projections
