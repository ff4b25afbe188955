// Tasks: lists, one task, the next one to work on.
#include <algorithm>
#include <array>
#include <string_view>

#include <boost/describe/class.hpp>

#include "api/class_names.hpp"
#include "api/moments.hpp"
#include "api/pages.hpp"
#include "api/past_tasks.hpp"
#include "api/routes/tables.hpp"
#include "api/settled_reads.hpp"
#include "api/status_words.hpp"
#include "api/task_alone.hpp"
#include "api/task_pages.hpp"
#include "api/views/schema_rules.hpp"
#include "api/visibility.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/batches/queries.hpp"
#include "projections/queries/name_pattern.hpp"
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
  std::optional<Timestamp> updated_before;
  std::optional<bool> skipped;
  std::vector<std::string> class_;  // names
  std::optional<std::string> q;
  std::string sort = "id";
  std::int64_t limit = kDefaultLimit;
  std::optional<std::int64_t> offset;
  std::optional<std::string> cursor;
  std::optional<std::string> as_of;  // refused
};
BOOST_DESCRIBE_STRUCT(TaskListQuery, (),
                      (project_id, status, assignee_id, reviewer_id, batch_id, dataset_id,
                       updated_since, updated_before, skipped, class_, q, sort, limit, offset,
                       cursor, as_of))

namespace {

struct SortWord {
  std::string_view word;
  projections::TaskOrder order;
};
constexpr std::array kSortWords{SortWord{"id", projections::TaskOrder::id},
                                SortWord{"-id", projections::TaskOrder::id_down},
                                SortWord{"updated_at", projections::TaskOrder::updated},
                                SortWord{"-updated_at", projections::TaskOrder::updated_down}};

std::vector<std::string> sort_words() {
  std::vector<std::string> words;
  for (const auto& known : kSortWords) words.emplace_back(known.word);
  return words;
}

// Unknown words don't come here: the schema has refused them.
projections::TaskOrder order_of(std::string_view word) {
  return std::ranges::find(kSortWords, word, &SortWord::word)->order;
}

constexpr std::size_t kLongestText = 100;

}  // namespace

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
  std::optional<bool> total_is_least;  // there are more: the count ended at `total`
};
BOOST_DESCRIBE_STRUCT(TaskPage, (), (items, next_cursor, total, limit, offset, total_is_least))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::TaskListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("status").defaulted().each().one_of(api::status_words());
    rules.field("batch_id").describe("An id; with project_id a display id too; none: in no batch.");
    rules.field("updated_since").describe("Changed then or later.");
    rules.field("updated_before").describe("Changed before then.");
    rules.field("skipped").describe(
        "true: those that somebody gave back, until they are submitted; false: all others.");
    rules.field("class")
        .defaulted()
        .whole_items()
        .items(0, kMaxClasses)
        .describe(
            "Names, each a parameter of its own: tasks with a present annotation of one of them. "
            "Only within one project.");
    rules.field("q")
        .length(1, api::kLongestText)
        .describe(
            "A part of the file's name, in any case, or the task's number: T-12, 12. Text without "
            "three "
            "letters or digits in a row is looked for where names begin. Only within one project.");
    rules.field("sort").defaulted().one_of(api::sort_words()).describe("-: the last first.");
    rules.field("offset").range(0, 1e6).describe(
        "Instead of cursor, for small sets; with class or q up to 10000. Only within one project.");
    api::limit_rule(rules);
    rules.field("as_of").describe("Not taken: a list shows the tasks as they are.");
  }
  static void check(const api::TaskListQuery& query, std::vector<FieldError>& errors) {
    if (query.offset && query.cursor) {
      errors.push_back({{"offset"}, "Use either offset or cursor.", "conflict"});
    }
    api::refuse_moment(query.as_of, errors);
    const bool looks_beside = !query.class_.empty() || query.q;
    if (query.offset > projections::TaskQueries::kTotalLimit && looks_beside) {
      errors.push_back(
          {{"offset"}, "Must be at most 10000 with class or q: use cursor.", "out_of_range"});
    }
    if (query.offset && !query.project_id) {
      errors.push_back({{"offset"}, "Only within one project.", "conflict"});
    }
    if (!query.class_.empty() && !query.project_id) {
      errors.push_back({{"class"}, "Only within one project.", "conflict"});
    }
    if (query.q && !query.project_id) {
      errors.push_back({{"q"}, "Only within one project.", "conflict"});
    }
    if (query.q && !projections::has_trigrams_at_start(*query.q)) {
      errors.push_back({{"q"}, "Must have a letter or a digit.", "wrong_format"});
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
  static void apply(ObjectRules& rules) {
    rules.field("batch_id")
        .describe(
            "The id of a batch, or its display id: 4161, \"B-3\"; absent: of any and of none.");
  }
  static void check(const api::NextTaskBody& body, std::vector<FieldError>& errors) {
    if (!body.batch_id || body.batch_id->id != 0 || body.batch_id->number != 0) return;
    errors.push_back({{"batch_id"},
                      "Must be the id of a batch or its display id, and not B-DEFAULT.",
                      "wrong_format"});
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// Fills the filter's batch; false: there is no such batch, and so no task.
awaitable<Result<bool>> set_batch(const TaskListQuery& query, Services& services,
                                  projections::TaskFilter& filter) {
  if (!query.batch_id) co_return true;
  filter.without_batch = *query.batch_id == "none";
  if (filter.without_batch) co_return true;
  const auto ref = batch_ref_from(*query.batch_id);
  if (ref.id != 0) {
    filter.batch_id = BatchId{ref.id};
    co_return true;
  }
  BOOST_OUTCOME_CO_TRY(
      const auto batch, co_await read(services, [&] {
        return projections::BatchQueries(services.reads).find(filter.project_id, ref);
      }));
  if (batch) filter.batch_id = batch->id;
  co_return batch.has_value();
}

awaitable<HandlerResult> list_by_offset(Call& call, Services& services,
                                        const projections::TaskFilter& filter) {
  const auto& query = call.query<TaskListQuery>();
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::TaskQueries(services.reads)
                             .list_by_offset(filter, query.limit, *query.offset, call.now());
                       }));
  TaskPage view{std::move(page.items), std::nullopt, page.total,
                query.limit,           query.offset, page.total_is_least};
  for (auto& task : view.items) complete(services, task);
  co_return http::reply(200, view);
}

using Start = std::optional<projections::TimeCursor>;

bool by_change(const projections::TaskFilter& filter) {
  return filter.order == projections::TaskOrder::updated ||
         filter.order == projections::TaskOrder::updated_down;
}

// A cursor of a list by id is the id alone.
Result<Start> start_of(const Call& call, const Services& services, bool by_time) {
  const auto& cursor = call.query<TaskListQuery>().cursor;
  if (by_time) return cursor_time(call, services, cursor);
  BOOST_OUTCOME_TRY(const auto id, cursor_id(call, services, cursor));
  return id ? Start(projections::TimeCursor{{}, *id}) : Start();
}

std::optional<std::string> cursor_of(const Call& call, const Services& services,
                                     const projections::TaskFilter& filter, const Start& next) {
  if (!next || by_change(filter)) return next_cursor(call, services, next);
  return next_cursor(call, services, std::optional(TaskId{next->id}));
}

projections::TaskFilter filter_of(const TaskListQuery& query) {
  projections::TaskFilter filter{.project_id = query.project_id.value_or(ProjectId{}),
                                 .statuses = statuses_of(query.status),
                                 .assignee_id = query.assignee_id,
                                 .reviewer_id = query.reviewer_id,
                                 .dataset_id = query.dataset_id,
                                 .updated_since = query.updated_since};
  filter.updated_before = query.updated_before;
  filter.skipped = query.skipped;
  filter.text = query.q.value_or("");
  filter.order = order_of(query.sort);
  return filter;
}

// Names become ids, so that a rename between two pages changes nothing but which name is known.
awaitable<Result<void>> set_classes(Call& call, Services& services,
                                    projections::TaskFilter& filter) {
  const auto& query = call.query<TaskListQuery>();
  if (query.class_.empty()) co_return success();
  BOOST_OUTCOME_CO_TRY(auto project, co_await project_of_id(call, services, *query.project_id));
  BOOST_OUTCOME_CO_TRY(filter.classes, class_ids_of(project.classes_config, query.class_));
  co_return success();
}

// The tasks of all projects that the caller may see.
RenderedPage read_across(const Call& call, const Services& services,
                         const projections::TaskFilter& filter, const Start& after) {
  const auto projects = services.directory.visible_projects(call.caller().id, call.caller().role);
  auto page =
      projections::TaskQueries(services.reads)
          .list_across(projects, filter, after, call.query<TaskListQuery>().limit, call.now());
  RenderedPage rendered(page.items.size() * TaskPages::kUsualTextBytes);
  for (auto& task : page.items) {
    complete(services, task);
    rendered.add(codec::to_json_text(task));
  }
  rendered.next = page.next;
  return rendered;
}

awaitable<Result<RenderedPage>> read_page(Call& call, Services& services,
                                          const projections::TaskFilter& filter,
                                          const Start& after) {
  const auto& query = call.query<TaskListQuery>();
  if (query.project_id)
    co_return co_await services.task_pages.list(call, services, filter, after, query.limit);
  co_return co_await read(services, [&] { return read_across(call, services, filter, after); });
}

awaitable<HandlerResult> list_tasks(Call& call, Services& services) {
  const auto& query = call.query<TaskListQuery>();
  auto filter = filter_of(query);
  BOOST_OUTCOME_CO_TRY(auto after, start_of(call, services, by_change(filter)));
  std::vector<commands::ShardId> shards;
  if (query.project_id) shards = shard_of_id(services, query.project_id->value);
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, std::move(shards)));
  if (query.project_id) {
    BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, *query.project_id, "project"));
    BOOST_OUTCOME_CO_TRY(co_await wait_until_settled(call, services, *query.project_id));
  } else {
    BOOST_OUTCOME_CO_TRY(co_await wait_until_all_settled(call, services));
  }
  BOOST_OUTCOME_CO_TRY(co_await set_classes(call, services, filter));
  BOOST_OUTCOME_CO_TRY(const bool any, co_await set_batch(query, services, filter));
  if (!any) filter.batch_id = BatchId{};  // no task has it
  if (query.offset) co_return co_await list_by_offset(call, services, filter);
  BOOST_OUTCOME_CO_TRY(auto page, co_await read_page(call, services, filter, after));
  const auto next = cursor_of(call, services, filter, page.next);
  co_return http::reply_json_text(200, std::move(page).json(next));
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
  complete_alone(call, services, task);
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
  complete_alone(call, services, task);
  co_return written(http::reply(200, task).version(task.version), done);
}

http::ReplySpec next_task_reply() {
  auto spec = http::replies<TaskView>(200);
  spec.nothing_when =
      "No task: X-No-Task-Reason says of the open work of the batch, or else of the project, "
      "all_done (there is none), all_locked (Retry-After says when the first lock ends) or "
      "none_assigned (what is left is others').";
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
       .summary = "Tasks of a project, or of all that the caller sees; by cursor or offset",
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
       .access = Access::needs(Action::use_account, Scope::none),
       .action = "task.next",
       .target = "task",  // the decider asks for annotate
       .body = http::Body::json<NextTaskBody>(),
       .reply = next_task_reply(),
       .handler = [&services](Call& call) { return next_task(call, services); }},
  };
}

}  // namespace annolog::api
