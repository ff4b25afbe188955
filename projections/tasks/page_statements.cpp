#include "projections/tasks/page_statements.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "domain/support/number.hpp"
#include "projections/queries/name_pattern.hpp"

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
  kNoBatch = 32,
  kBefore = 64,
  kSkipped = 128,
  kNotSkipped = 256,
  kText = 512,
  kClasses = 1024,
  kFlagsEnd = 2048
};
constexpr unsigned kKinds = 5;
constexpr unsigned kOrders = 4;
// Filters that are asked for all the time. Which index has what changed since then, in the order of
// ids, hangs on how much that is: planned for its time each time.
constexpr unsigned kUsualFlags = (kBefore - 1) & ~kSince;

// Before names and annotations are asked for what they lead to, so many tasks are looked at in
// order: what matches often is found among them. More of them by offset, since thousands of hits
// are passed over or counted there.
constexpr std::int64_t kNearTasks = 2'000;
constexpr std::int64_t kNearTasksByOffset = 20'000;

struct Shape {
  TaskPageKind kind;
  TaskOrder order;
  unsigned status;
  unsigned flags;

  bool has(unsigned flag) const { return (flags & flag) != 0; }
  bool looks_beside() const { return has(kText | kClasses); }
  bool by_change() const { return order == TaskOrder::updated || order == TaskOrder::updated_down; }
  bool down() const { return order == TaskOrder::id_down || order == TaskOrder::updated_down; }
  // The index of the annotations has the tasks of a class in the order that is asked for.
  bool walks() const { return has(kClasses) && !has(kText) && !by_change(); }
  bool only_walks() const { return walks() && flags == kClasses && status == kAnyStatus; }
  // By id, the index of the statuses has the tasks of each in that order, and of several in none.
  // Those of a person, a dataset or a batch are fewer, in an index of their own.
  bool merges_statuses() const {
    return status == kSomeStatuses && !by_change() &&
           !has(kAssignee | kReviewer | kDataset | kBatch);
  }
};

// The parts of one statement; takes its parameters in the order in which they are added.
class Writer {
 public:
  explicit Writer(const Shape& shape) : shape_(shape) {
    const bool starts = shape.kind != TaskPageKind::by_offset && shape.kind != TaskPageKind::total;
    if (starts) start_ = start();
    if (shape.kind == TaskPageKind::by_offset) parameter();
    filters_ = filters();
    if (shape.has(kText)) {
      pattern_ = parameter() + "::text";
      number_ = parameter() + "::bigint";
    }
    if (shape.has(kClasses)) classes_ = parameter() + "::bigint[]";
  }

  std::string sql() const {
    switch (shape_.kind) {
      case TaskPageKind::by_cursor:
      case TaskPageKind::keys:
      case TaskPageKind::across: return page();
      case TaskPageKind::by_offset: return page() + " OFFSET $3::bigint";
      case TaskPageKind::total: break;
    }
    const std::string from = shape_.looks_beside() ? " FROM found" : tasks();
    return found_beside() + "SELECT count(*) FROM (SELECT 1" + from + " LIMIT $2::bigint) counted";
  }

 private:
  std::string parameter() { return "$" + std::to_string(next_++); }

  std::string start() {
    const std::string compare = shape_.down() ? " < " : " > ";
    start_id_ = parameter() + "::bigint";
    if (!shape_.by_change()) return " AND t.id" + compare + start_id_;
    return " AND (t.updated_at_ms, t.id)" + compare + "(" + parameter() + "::bigint, " + start_id_ +
           ")";
  }

  std::string filters() {
    std::string sql;
    if (shape_.status == kOneStatus) sql += " AND t.status = " + parameter() + "::text";
    if (shape_.status == kSomeStatuses) statuses_ = parameter() + "::text[]";
    const auto add = [&](unsigned flag, const char* condition) {
      if (shape_.has(flag)) sql += condition + parameter() + "::bigint";
    };
    add(kAssignee, " AND t.assignee_id = ");
    add(kReviewer, " AND t.reviewer_id = ");
    add(kDataset, " AND t.dataset_id = ");
    add(kSince, " AND t.updated_at_ms >= ");
    add(kBefore, " AND t.updated_at_ms < ");
    add(kBatch, " AND t.batch_id = ");
    if (shape_.has(kNoBatch)) sql += " AND t.batch_id IS NULL";
    if (shape_.has(kSkipped)) sql += " AND t.skipped_at_ms IS NOT NULL";
    if (shape_.has(kNotSkipped)) sql += " AND t.skipped_at_ms IS NULL";
    return sql;
  }

  std::string order() const {
    const std::string way = shape_.down() ? " DESC" : "";
    return " ORDER BY " + (shape_.by_change() ? "t.updated_at_ms" + way + ", " : std::string()) +
           "t.id" + way;
  }

  std::string columns() const {
    return shape_.kind == TaskPageKind::keys ? "t.id, t.version, t.updated_at_ms" : TASK_COLUMNS;
  }

  std::string of_statuses() const {
    return statuses_.empty() ? "" : " AND t.status = ANY(" + statuses_ + ")";
  }

  // How many tasks in order are enough.
  std::string enough() const {
    return shape_.kind == TaskPageKind::by_offset ? "($2::bigint + $3::bigint)" : "$2::bigint";
  }

  // Those that the filters let through. Where they come from several walks along an index, of each
  // no more than `most` are looked at: what lies far behind others costs no more than they do.
  std::string tasks(const std::string& most) const {
    const bool across = shape_.kind == TaskPageKind::across;
    const std::string of_project =
        std::string("tasks t WHERE t.project_id = ") + (across ? "p.id" : "$1::bigint");
    if (!across && !shape_.merges_statuses())
      return " FROM " + of_project + start_ + of_statuses() + filters_;
    std::string walks = across ? " FROM unnest($1::bigint[]) p(id) CROSS JOIN " : " FROM ";
    std::string status = of_statuses();
    if (shape_.merges_statuses()) {
      walks += "unnest(" + statuses_ + ") s(status) CROSS JOIN ";
      status = " AND t.status = s.status";
    }
    return walks + "LATERAL (SELECT * FROM " + of_project + status + start_ + filters_ + order() +
           " LIMIT " + most + ") t";
  }
  std::string tasks() const { return tasks(enough()); }

  std::string page() const {
    const std::string from = shape_.looks_beside()
                                 ? " FROM found f CROSS JOIN LATERAL (SELECT t.* FROM tasks t "
                                   "WHERE t.id = f.id OFFSET 0) t"
                                 : tasks();
    return found_beside() + "SELECT " + columns() + from + order() + " LIMIT $2::bigint";
  }

  // The OFFSET keeps it a look-up for each task.
  std::string has_class(const std::string& task) const {
    return "EXISTS (SELECT 1 FROM annotations a WHERE a.project_id = $1::bigint "
           "AND a.class_id = ANY(" +
           classes_ + ") AND a.task_id = " + task + " AND a.deleted_at_ms IS NULL OFFSET 0)";
  }

  // The next task of the classes behind `task`, null: none. A look into the index for each class.
  std::string next_of_classes(const std::string& task) const {
    const std::string compare = shape_.down() ? " < " : " > ";
    return std::string("(SELECT ") + (shape_.down() ? "max" : "min") + "(n.id) FROM unnest(" +
           classes_ +
           ") k(id) CROSS JOIN LATERAL (SELECT a.task_id AS id FROM annotations a "
           "WHERE a.project_id = $1::bigint AND a.class_id = k.id AND a.deleted_at_ms IS NULL "
           "AND a.task_id" +
           compare + task + " ORDER BY a.task_id" + (shape_.down() ? " DESC" : "") + " LIMIT 1) n)";
  }

  // From task to task, so that one with many annotations costs no more than one with a single one.
  // Rows are made when they are asked for: a LIMIT outside ends the walk, and they are in order.
  std::string walk() const {
    const std::string from = !start_id_.empty() ? start_id_
                             : shape_.down()    ? std::to_string(kAfterAll.id)
                                                : "0";
    return "(WITH RECURSIVE walk(id) AS (SELECT " + next_of_classes(from) + " UNION ALL SELECT " +
           next_of_classes("w.id") +
           " FROM walk w WHERE w.id IS NOT NULL) SELECT id FROM walk WHERE id IS NOT NULL) c";
  }

  // Which tasks the text or the classes lead to, by their indexes; each once.
  std::string led_to() const {
    if (shape_.walks()) return walk();
    if (!shape_.has(kText)) {
      return "(SELECT DISTINCT a.task_id AS id FROM unnest(" + classes_ +
             ") k(id) CROSS JOIN LATERAL (SELECT a.task_id FROM annotations a "
             "WHERE a.project_id = $1::bigint AND a.class_id = k.id AND a.deleted_at_ms IS NULL "
             "OFFSET 0) a) c";
    }
    const std::string too = shape_.has(kClasses) ? " AND " + has_class("n.task_id") : "";
    return "(SELECT n.task_id AS id FROM task_names n WHERE n.project_id = $1::bigint "
           "AND n.file_name ILIKE " +
           pattern_ + too +
           " UNION SELECT n.task_id FROM task_names n WHERE n.number = " + number_ +
           " AND n.project_id = $1::bigint" + too + ") c";
  }

  // Those of them that the other filters let through, by their keys.
  std::string led_to_tasks() const {
    return led_to() +
           " CROSS JOIN LATERAL (SELECT t.* FROM tasks t WHERE t.id = c.id "
           "AND t.project_id = $1::bigint" +
           start_ + of_statuses() + filters_ + " OFFSET 0) t";
  }

  // Whether one of the near tasks `n` is what the text and the classes ask for.
  std::string is_hit() const {
    std::string hit;
    if (shape_.has(kText)) {
      hit = "(n.file_name ILIKE " + pattern_ + " OR n.number = " + number_ + ")";
    }
    if (shape_.has(kClasses)) hit += (hit.empty() ? "" : " AND ") + has_class("n.id");
    return hit;
  }

  // What matches often is among the next tasks; what matches seldom is soon found by its index. So
  // either is looked for in its way, and a page costs little whatever is asked for. The first LIMIT
  // needs no order of its own: near is read as it was made.
  std::string found_beside() const {
    if (!shape_.looks_beside()) return "";
    if (shape_.only_walks()) {
      return "WITH found AS MATERIALIZED (SELECT t.id FROM " + led_to_tasks() + " LIMIT " +
             enough() + ") ";
    }
    const bool counts = shape_.kind == TaskPageKind::total;
    const bool by_offset = counts || shape_.kind == TaskPageKind::by_offset;
    const std::string near_tasks = std::to_string(by_offset ? kNearTasksByOffset : kNearTasks);
    return "WITH near AS MATERIALIZED (SELECT t.id, t.number, t.file_name" + tasks(near_tasks) +
           order() + " LIMIT " + near_tasks +
           "), hit AS MATERIALIZED (SELECT n.id FROM near n WHERE " + is_hit() + " LIMIT " +
           enough() + "), found AS MATERIALIZED (SELECT id FROM hit UNION (SELECT t.id FROM " +
           led_to_tasks() + " WHERE (SELECT count(*) FROM hit) < " + enough() +
           " AND (SELECT count(*) FROM near) = " + near_tasks +
           (counts || shape_.walks() ? " LIMIT " + enough() : "") + ")) ";
  }

  const Shape& shape_;
  int next_ = 3;
  std::string start_id_;
  std::string start_;
  std::string statuses_;
  std::string filters_;
  std::string pattern_;
  std::string number_;
  std::string classes_;
};

// A statement with the texts that it points to.
struct Made {
  std::string name;
  std::string sql;
  Statement statement;

  explicit Made(const Shape& shape)
      : name(name_of(shape)),
        sql(Writer(shape).sql()),
        statement{name.c_str(), sql.c_str(),
                  shape.order == TaskOrder::id && (shape.flags & ~kUsualFlags) == 0} {}
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

 private:
  static std::string name_of(const Shape& shape) {
    constexpr const char* kNames[] = {"tasks_page", "tasks_keys", "tasks_offset", "tasks_total",
                                      "tasks_across"};
    return std::string(kNames[static_cast<std::size_t>(shape.kind)]) + "_" +
           std::to_string(static_cast<int>(shape.order)) + "_" + std::to_string(shape.status) +
           "_" + std::to_string(shape.flags);
  }
};

const Statement& statement_of(const Shape& shape) {
  static std::mutex mutex;
  static std::unordered_map<unsigned, std::unique_ptr<Made>> made;
  const unsigned key =
      ((static_cast<unsigned>(shape.kind) * kOrders + static_cast<unsigned>(shape.order)) *
           kStatusModes +
       shape.status) *
          kFlagsEnd +
      shape.flags;
  const std::lock_guard guard(mutex);
  auto& entry = made[key];
  if (!entry) entry = std::make_unique<Made>(shape);
  return entry->statement;
}

unsigned flags_of(const TaskFilter& filter) {
  unsigned flags = 0;
  if (filter.assignee_id) flags |= kAssignee;
  if (filter.reviewer_id) flags |= kReviewer;
  if (filter.dataset_id) flags |= kDataset;
  if (filter.updated_since) flags |= kSince;
  if (filter.updated_before) flags |= kBefore;
  if (filter.batch_id) {
    flags |= kBatch;
  } else if (filter.without_batch) {
    flags |= kNoBatch;
  }
  if (filter.skipped) flags |= *filter.skipped ? kSkipped : kNotSkipped;
  if (!filter.text.empty()) flags |= kText;
  if (!filter.classes.empty()) flags |= kClasses;
  return flags;
}

// "T-12", "t-12" and "12"; 0: no number.
std::int64_t task_number_in(std::string_view text) {
  if (text.starts_with("T-") || text.starts_with("t-")) text.remove_prefix(2);
  return id_number(text);
}

}  // namespace

const Statement& task_page_statement(TaskPageKind kind, const TaskFilter& filter) {
  const unsigned status = filter.statuses.empty()       ? kAnyStatus
                          : filter.statuses.size() == 1 ? kOneStatus
                                                        : kSomeStatuses;
  const bool sorted = kind != TaskPageKind::total;
  return statement_of({kind, sorted ? filter.order : TaskOrder::id, status, flags_of(filter)});
}

void add_start_params(Params& params, const TaskFilter& filter,
                      const std::optional<TimeCursor>& after) {
  const bool down = filter.order == TaskOrder::id_down || filter.order == TaskOrder::updated_down;
  const TimeCursor start = after ? *after : down ? kAfterAll : TimeCursor{};
  params.add(start.id);
  const bool by_change =
      filter.order == TaskOrder::updated || filter.order == TaskOrder::updated_down;
  if (by_change) params.add(start.at.ms);
}

// In the order in which Writer takes them.
void add_filter_params(Params& params, const TaskFilter& filter) {
  if (filter.statuses.size() == 1) params.add(word_of(filter.statuses.front()));
  if (filter.statuses.size() > 1) {
    add_column(params, PgType::text, filter.statuses, [](TaskStatus s) { return word_of(s); });
  }
  if (filter.assignee_id) params.add(filter.assignee_id->value);
  if (filter.reviewer_id) params.add(filter.reviewer_id->value);
  if (filter.dataset_id) params.add(filter.dataset_id->value);
  if (filter.updated_since) params.add(filter.updated_since->ms);
  if (filter.updated_before) params.add(filter.updated_before->ms);
  if (filter.batch_id) params.add(filter.batch_id->value);
  if (!filter.text.empty()) {
    const auto& text = filter.text;
    params.add(has_trigrams(text) ? containing(text) : starting_with(text));
    params.add(task_number_in(text));
  }
  if (!filter.classes.empty()) {
    add_column(params, PgType::int8, filter.classes, [](ClassId id) { return id.value; });
  }
}

std::vector<Statement> task_page_statements() {
  std::vector<Statement> statements;
  const auto add = [&](unsigned status, unsigned flags) {
    if ((flags & kBatch) != 0 && (flags & kNoBatch) != 0) return;
    if ((flags & kSkipped) != 0 && (flags & kNotSkipped) != 0) return;
    for (unsigned kind = 0; kind < kKinds; ++kind) {
      for (unsigned order = 0; order < kOrders; ++order) {
        const Shape shape{static_cast<TaskPageKind>(kind), static_cast<TaskOrder>(order), status,
                          flags};
        if (shape.kind == TaskPageKind::across && shape.looks_beside()) continue;
        if (shape.kind == TaskPageKind::total && order != 0) continue;
        statements.push_back(statement_of(shape));
      }
    }
  };
  for (unsigned status = 0; status < kStatusModes; ++status) {
    add(status, 0);
    for (unsigned one = 1; one < kFlagsEnd; one *= 2) add(status, one);
  }
  for (unsigned one = 1; one < kFlagsEnd; one *= 2) {
    for (unsigned two = one * 2; two < kFlagsEnd; two *= 2) add(kAnyStatus, one | two);
  }
  return statements;
}

}  // namespace annolog::projections
