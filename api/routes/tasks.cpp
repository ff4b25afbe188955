// Tasks: lists, one task, the next one to work on.
#include <boost/describe/class.hpp>

#include "api/moments.hpp"
#include "api/pages.hpp"
#include "api/past_tasks.hpp"
#include "api/routes/tables.hpp"
#include "api/status_words.hpp"
#include "api/task_pages.hpp"
#include "api/views/schema_rules.hpp"
#include "api/visibility.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/batches/queries.hpp"
#include "projections/tasks/queries.hpp"

namespace annolog::api {

struct TaskListQuery {
  std::optional<ProjectId> project_id;  // absent: all projects that the caller may see
  std::vector<std::string> status;
  std::optional<UserId> assignee_id;
  std::optional<UserId> reviewer_id;
  std::optional<std::string> batch_id;  // an id, a display id (within one project), or "none"
  std::optional<DatasetId> dataset_id;
  std::optional<Timestamp> updated_since;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::int64_t> offset;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(TaskListQuery, (),
                      (project_id, status, assignee_id, reviewer_id, batch_id, dataset_id,
                       updated_since, limit, offset, cursor))

struct TaskQuery {
  std::optional<std::string> as_of;
};
BOOST_DESCRIBE_STRUCT(TaskQuery, (), (as_of))

struct NextTaskBody {
  ProjectId project_id;
  std::optional<BatchRef> batch_id;
};
BOOST_DESCRIBE_STRUCT(NextTaskBody, (), (project_id, batch_id))

struct TaskPage {
  std::vector<TaskView> items;
  std::optional<std::string> next_cursor;
  std::optional<std::int64_t> total;  // offset mode only, as limit and offset
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};
BOOST_DESCRIBE_STRUCT(TaskPage, (), (items, next_cursor, total, limit, offset))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::TaskListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("status").defaulted().each().one_of(api::status_words());
    rules.field("batch_id").describe("An id; with project_id a display id too; none: in no batch.");
    rules.field("offset").range(0, 1e6).describe("Instead of cursor, for small sets.");
    api::limit_rule(rules);
  }
  static void check(const api::TaskListQuery& query, std::vector<FieldError>& errors) {
    if (query.offset && query.cursor) {
      errors.push_back({{"offset"}, "Use either offset or cursor.", "conflict"});
    }
    if (query.offset && !query.project_id) {
      errors.push_back({{"offset"}, "Only within one project.", "conflict"});
    }
    if (query.batch_id && *query.batch_id != "none") {
      const auto ref = batch_ref_from(*query.batch_id);
      if (ref.id == 0 && !(ref.number != 0 && query.project_id)) {
        errors.push_back({{"batch_id"},
                          "Must be the id of a batch, or none; with project_id a display id too.",
                          "wrong_format"});
      }
    }
  }
};
template <>
struct SchemaRules<api::TaskQuery> {
  static void apply(ObjectRules& rules) {
    api::moment_rule(rules, "as_of", "The task as it was then.");
  }
};
template <>
struct SchemaRules<api::NextTaskBody> {
  static constexpr std::string_view kName = "NextTask";
  static void apply(ObjectRules&) {}
  static void check(const api::NextTaskBody& body, std::vector<FieldError>& errors) {
    if (!body.batch_id || body.batch_id->id != 0 || body.batch_id->number != 0) return;
    errors.push_back(
        {{"batch_id"}, "Must be the id of a batch or its display id.", "wrong_format"});
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// Fills the filter's batch; false: there is no such batch, and so no task.
bool set_batch(const TaskListQuery& query, Services& services, projections::TaskFilter& filter) {
  if (!query.batch_id) return true;
  filter.without_batch = *query.batch_id == "none";
  if (filter.without_batch) return true;
  const auto ref = batch_ref_from(*query.batch_id);
  if (ref.id != 0) {
    filter.batch_id = BatchId{ref.id};
    return true;
  }
  const auto batch = projections::BatchQueries(services.reads).find(filter.project_id, ref);
  if (batch) filter.batch_id = batch->id;
  return batch.has_value();
}

awaitable<HandlerResult> list_by_offset(Call& call, Services& services,
                                        const projections::TaskFilter& filter) {
  const auto& query = call.query<TaskListQuery>();
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::TaskQueries(services.reads)
                             .list_by_offset(filter, query.limit, *query.offset, call.now());
                       }));
  TaskPage view{std::move(page.items), std::nullopt, page.total, query.limit, query.offset};
  for (auto& task : view.items) complete(services, task);
  co_return http::reply(200, view);
}

// The tasks of all projects that the caller may see.
TaskPages::Text read_across(const Call& call, const Services& services,
                            const projections::TaskFilter& filter, std::optional<TaskId> after) {
  const auto projects = services.directory.visible_projects(call.caller().id, call.caller().role);
  auto page =
      projections::TaskQueries(services.reads)
          .list_across(projects, filter, after, call.query<TaskListQuery>().limit, call.now());
  for (auto& task : page.items) complete(services, task);
  return {codec::to_json_text(page.items), page.next};
}

TaskPages::Text read_page(const Call& call, const Services& services,
                          const projections::TaskFilter& filter, std::optional<TaskId> after) {
  const auto& query = call.query<TaskListQuery>();
  if (!query.project_id) return read_across(call, services, filter, after);
  return services.task_pages.list(filter, after, query.limit, call.now());
}

awaitable<HandlerResult> list_tasks(Call& call, Services& services) {
  const auto& query = call.query<TaskListQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  std::vector<commands::ShardId> shards;
  if (query.project_id) shards = shard_of_id(services, query.project_id->value);
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, std::move(shards)));
  if (query.project_id) {
    BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, *query.project_id, "project"));
  }
  projections::TaskFilter filter{.project_id = query.project_id.value_or(ProjectId{}),
                                 .statuses = statuses_of(query.status),
                                 .assignee_id = query.assignee_id,
                                 .reviewer_id = query.reviewer_id,
                                 .dataset_id = query.dataset_id,
                                 .updated_since = query.updated_since,
                                 .without_batch = false};
  BOOST_OUTCOME_CO_TRY(const bool any,
                       co_await read(services, [&] { return set_batch(query, services, filter); }));
  if (!any) filter.batch_id = BatchId{};  // no task has it
  if (query.offset) co_return co_await list_by_offset(call, services, filter);
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return read_page(call, services, filter,
                                          after ? std::optional(TaskId{*after}) : std::nullopt);
                       }));
  co_return http::reply_json_text(
      200, page_json_of(std::move(page.items), next_cursor(call, services, page.next)));
}

// The version of then is no ETag: a write must know the task as it is.
awaitable<HandlerResult> get_task(Call& call, Services& services) {
  const auto id = call.id<TaskId>("task_id");
  BOOST_OUTCOME_CO_TRY(auto moment, co_await moment_of(call, services, "as_of",
                                                       call.query<TaskQuery>().as_of, id.value));
  BOOST_OUTCOME_CO_TRY(auto task, co_await visible_task(call, services, id));
  if (!moment.is_now) {
    BOOST_OUTCOME_CO_TRY(auto then, co_await read(services, [&] {
                           return past_of(services, task, moment, call.now());
                         }));
    task = then.view();
  }
  complete(services, task);
  task.file_url = download_url(call, services, task.file_path);
  auto reply = http::reply(200, task);
  if (moment.is_now) co_return std::move(reply).version(task.version);
  co_return reply;
}

awaitable<HandlerResult> next_task(Call& call, Services& services) {
  const auto& body = call.body<NextTaskBody>();
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, TakeNextTask{body.project_id, body.batch_id},
                                      codec::to_json_text(body)));
  if (const auto* none = std::get_if<commands::NoTask>(&done.reply)) {
    http::Reply reply = http::no_content().header("X-No-Task-Reason", none->reason);
    if (none->retry_after_s > 0) {
      reply.headers.emplace_back("Retry-After", std::to_string(none->retry_after_s));
    }
    co_return written(std::move(reply), done);
  }
  auto& task = done.get<TaskView>();
  complete(services, task);
  task.file_url = download_url(call, services, task.file_path);
  co_return written(http::reply(200, task).version(task.version), done);
}

http::ReplySpec next_task_reply() {
  auto spec = http::replies<TaskView>(200);
  spec.nothing_when =
      "No task: X-No-Task-Reason says all_done, all_locked or none_assigned; Retry-After says "
      "when the first lock ends.";
  return spec;
}

}  // namespace

http::RouteTable task_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::get,
       .path = "/api/v1/tasks",
       .operation_id = "listTasks",
       .summary = "Tasks of a project in order of id, by cursor or offset",
       .tag = "tasks",
       .access = Access::needs(Action::use_account, Scope::none),
       .query = http::query_of<TaskListQuery>(),
       .reply = http::replies<TaskPage>(200),
       .handler = [&services](Call& call) { return list_tasks(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}",
       .operation_id = "getTask",
       .summary = "One task, as it is or as it was, with a signed URL of its file",
       .tag = "tasks",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<TaskQuery>(),
       .reply = http::replies<TaskView>(200),
       .handler = [&services](Call& call) { return get_task(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/next",
       .operation_id = "takeNextTask",
       .summary = "Gives the caller the next task and locks it; 204 when there is none",
       .tag = "tasks",
       .access = Access::needs(Action::use_account, Scope::none),  // the decider asks for annotate
       .body = http::Body::json<NextTaskBody>(),
       .reply = next_task_reply(),
       .handler = [&services](Call& call) { return next_task(call, services); }},
  };
}

}  // namespace annolog::api
