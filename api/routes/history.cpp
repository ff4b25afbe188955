// The past of tasks, annotations and batches.
#include "api/routes/tables.hpp"

#include <utility>

#include <boost/describe/class.hpp>

#include "api/annotation_history.hpp"
#include "api/audit_pages.hpp"
#include "api/batch_reads.hpp"
#include "api/find_twice.hpp"
#include "api/moments.hpp"
#include "api/pages.hpp"
#include "api/past_tasks.hpp"
#include "api/views/audit.hpp"
#include "api/views/history.hpp"
#include "api/visibility.hpp"
#include "projections/annotations/queries.hpp"

namespace annolog::api {

struct TaskHistoryPage {
  std::vector<TaskHistoryItem> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(TaskHistoryPage, (), (items, next_cursor))

struct TaskHistoryQuery {
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
  std::optional<std::string> as_of;
};
BOOST_DESCRIBE_STRUCT(TaskHistoryQuery, (), (limit, cursor, as_of))

struct AnnotationHistory {
  std::vector<AnnotationHistoryItem> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AnnotationHistory, (), (items, next_cursor))

struct AnnotationHistoryQuery {
  std::int64_t limit = kMaxLimit;
  std::optional<std::string> cursor;
  std::optional<std::string> as_of;  // refused: comments know no position
};
BOOST_DESCRIBE_STRUCT(AnnotationHistoryQuery, (), (limit, cursor, as_of))

struct TaskDifferenceQuery {
  std::string from;
  std::optional<std::string> to;
};
BOOST_DESCRIBE_STRUCT(TaskDifferenceQuery, (), (from, to))

struct AnnotationQuery {
  std::optional<std::string> as_of;
};
BOOST_DESCRIBE_STRUCT(AnnotationQuery, (), (as_of))

struct BatchAuditPage {
  std::vector<AuditLogView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(BatchAuditPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::TaskHistoryQuery> {
  static void apply(ObjectRules& rules) {
    api::limit_rule(rules);
    api::moment_rule(rules, "as_of", "What had happened by then.");
  }
};
template <>
struct SchemaRules<api::AnnotationHistoryQuery> {
  static void apply(ObjectRules& rules) {
    api::limit_rule(rules);
    rules.field("as_of").describe("Not taken: the whole history is shown.");
  }
  static void check(const api::AnnotationHistoryQuery& query, std::vector<FieldError>& errors) {
    api::refuse_moment(query.as_of, errors);
  }
};
template <>
struct SchemaRules<api::TaskDifferenceQuery> {
  static void apply(ObjectRules& rules) {
    api::moment_rule(rules, "from", "The earlier moment.");
    api::moment_rule(rules, "to", "The later moment; absent: now.");
  }
};
template <>
struct SchemaRules<api::AnnotationQuery> {
  static void apply(ObjectRules& rules) {
    api::moment_rule(rules, "as_of", "The annotation as it was then.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

struct Seq {
  std::int64_t value = 0;
};

using HistoryItems = projections::Page<TaskHistoryItem, Seq>;

// Oldest first. What comes before the page is folded, not shown.
Result<HistoryItems> history_page(const Services& services, const TaskView& task,
                                  const projections::Until& until, std::int64_t after,
                                  std::int64_t limit) {
  HistoryItems page;
  PageRoom room(limit);
  TaskPast past;
  std::int64_t seq = 0;
  const auto tell = [&](const PastEvent& event, const projections::ClassNames& classes) {
    for (const HistoryEntry& entry : step(past, task.id, event)) {
      if (++seq <= after) continue;
      auto item = history_item(entry, seq, {classes, {.log_offset = event.position}});
      if (!room.take(bytes_of(item))) {
        page.next = Seq{seq - 1};
        return false;
      }
      name_actor(services, item.actor);
      page.items.push_back(std::move(item));
    }
    return true;
  };
  if (!projections::HistoryQueries(services.reads).of_task(task, until, tell))
    return not_found("task at that time");
  return page;
}

awaitable<HandlerResult> task_history(Call& call, Services& services) {
  const auto id = call.id<TaskId>("task_id");
  const auto& query = call.query<TaskHistoryQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(auto moment,
                       co_await moment_of(call, services, "as_of", query.as_of, id.value));
  BOOST_OUTCOME_CO_TRY(auto task, co_await visible_task(call, services, id));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return history_page(services, task, moment.until, after.value_or(0),
                                             query.limit);
                       }));
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

// --- annotations ---

// Live or deleted, of a task that the caller may see.
awaitable<Result<TaskView>> task_of_annotation(Call& call, Services& services, AnnotationId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<AnnotationView>> {
      return projections::AnnotationQueries(services.reads).find(id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, id.value, find));
  if (!found) co_return not_found("annotation");
  auto task = co_await visible_task(call, services, found->task_id);
  if (!task && task.error().kind == DomainError::Kind::not_found)
    co_return not_found("annotation");  // as if it were not there
  co_return task;
}

// A place in it has the form of one in a list by time: "<entries>-<comment id>".
awaitable<HandlerResult> annotation_history(Call& call, Services& services) {
  const auto id = call.id<AnnotationId>("annotation_id");
  const auto& query = call.query<AnnotationHistoryQuery>();
  BOOST_OUTCOME_CO_TRY(auto start, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(auto task, co_await task_of_annotation(call, services, id));
  const Shown shown = start ? Shown{start->at.ms, CommentId{start->id}} : Shown{};
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return history_of(services, task, id, {shown, query.limit});
                       }));
  std::optional<projections::TimeCursor> next;
  if (page.next) next = projections::TimeCursor{{page.next->entries}, page.next->comment.value};
  co_return http::reply_json_text(200, page_json(page.items, next_cursor(call, services, next)));
}

Result<AnnotationView> annotation_then(const Services& services, const TaskView& task,
                                       AnnotationId id, const Moment& moment, Timestamp now) {
  BOOST_OUTCOME_TRY(auto then, past_of(services, task, moment, now));
  const auto found = then.past.annotations.find(id);
  if (found == then.past.annotations.end() || found->second.deleted_at)
    return not_found("annotation at that time");
  return then.view(found->second);
}

awaitable<HandlerResult> get_annotation(Call& call, Services& services) {
  const auto task_id = call.id<TaskId>("task_id");
  const auto id = call.id<AnnotationId>("annotation_id");
  const auto& as_of = call.query<AnnotationQuery>().as_of;
  BOOST_OUTCOME_CO_TRY(auto moment,
                       co_await moment_of(call, services, "as_of", as_of, task_id.value));
  BOOST_OUTCOME_CO_TRY(auto task, co_await visible_task(call, services, task_id));
  if (!moment.is_now) {
    BOOST_OUTCOME_CO_TRY(auto view, co_await read(services, [&] {
                           return annotation_then(services, task, id, moment, call.now());
                         }));
    co_return http::reply(200, view);
  }
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return projections::AnnotationQueries(services.reads).find(id);
                       }));
  if (!found || found->task_id != task_id || found->deleted_at) co_return not_found("annotation");
  co_return http::reply(200, *found).version(found->version);
}

// --- differences ---

Result<TaskDifference> compare(const Services& services, const TaskView& task, const Moment& from,
                               const Moment& to, Timestamp now) {
  BOOST_OUTCOME_TRY(auto before, past_of(services, task, from, now));
  BOOST_OUTCOME_TRY(auto after, past_of(services, task, to, now));
  const bool times_turn = from.time && to.time && *to.time < *from.time;
  if (times_turn || after.past.task.version < before.past.task.version)
    return validation_error({{{"to"}, "Must not lie before from.", "out_of_range"}});
  return difference_view(before, after);
}

awaitable<HandlerResult> task_difference(Call& call, Services& services) {
  const auto id = call.id<TaskId>("task_id");
  const auto& query = call.query<TaskDifferenceQuery>();
  BOOST_OUTCOME_CO_TRY(auto from, co_await moment_of(call, services, "from", query.from, id.value));
  BOOST_OUTCOME_CO_TRY(auto to, co_await moment_of(call, services, "to", query.to, id.value));
  BOOST_OUTCOME_CO_TRY(auto task, co_await visible_task(call, services, id));
  BOOST_OUTCOME_CO_TRY(auto view, co_await read(services, [&] {
                         return compare(services, task, from, to, call.now());
                       }));
  view.from.as_of = query.from;
  view.to.as_of = query.to;
  co_return http::reply(200, view);
}

// --- batches ---

// A deleted one, too: who deleted it is what its trace ends with.
awaitable<Result<projections::TracedBatch>> traced_batch(Call& call, Services& services,
                                                         ProjectId project) {
  const auto ref = batch_in_path(call);
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<projections::TracedBatch>> {
      return projections::HistoryQueries(services.reads).find_batch(project, ref);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, project.value, find));
  if (!found) co_return not_found("batch");
  co_return std::move(*found);
}

awaitable<HandlerResult> batch_audit(Call& call, Services& services) {
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_time(call, services, query.cursor));
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto batch, co_await traced_batch(call, services, project));
  // Exports of the batch lie in the directory's shard.
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto page, co_await audit_page(call, services,
                                                      projections::AuditQueries::of_batch(
                                                          batch.id, after, query.limit)));
  const auto next = next_cursor(call, services, page.next);
  co_return http::reply_json_text(200, std::move(page).json(next));
}

}  // namespace

http::RouteTable history_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}/history",
       .operation_id = "getTaskHistory",
       .summary = "What happened to a task and its annotations, oldest first",
       .tag = "history",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<TaskHistoryQuery>(),
       .reply = http::replies<TaskHistoryPage>(200),
       .handler = [&services](Call& call) { return task_history(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}/diff",
       .operation_id = "compareTask",
       .summary = "What differs between two moments of a task",
       .tag = "history",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<TaskDifferenceQuery>(),
       .reply = http::replies<TaskDifference>(200),
       .handler = [&services](Call& call) { return task_difference(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}/annotations/{annotation_id}",
       .operation_id = "getAnnotation",
       .summary = "One annotation, as it is or as it was",
       .tag = "annotations",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<AnnotationQuery>(),
       .reply = http::replies<AnnotationView>(200),
       .handler = [&services](Call& call) { return get_annotation(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/annotations/{annotation_id}/history",
       .operation_id = "getAnnotationHistory",
       .summary = "What happened to an annotation, and was said about it, oldest first",
       .tag = "history",
       .access = Access::needs(Action::read_project, Scope::annotation),
       .query = http::query_of<AnnotationHistoryQuery>(),
       .reply = http::replies<AnnotationHistory>(200),
       .handler = [&services](Call& call) { return annotation_history(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/batches/{batch_id:text}/audit-logs",
       .operation_id = "listBatchAuditLogs",
       .summary =
           "The requests about a batch, deleted ones too, and those that name it among others, "
           "newest first",
       .tag = "history",
       .access = Access::needs(Action::govern, Scope::project),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<BatchAuditPage>(200),
       .handler = [&services](Call& call) { return batch_audit(call, services); }},
  };
}

}  // namespace annolog::api
