// Batches of a project: one, its tasks, its steps.
#include "api/routes/tables.hpp"

#include <boost/describe/class.hpp>

#include "api/batch_people.hpp"
#include "api/batch_reads.hpp"
#include "api/pages.hpp"
#include "api/settled_reads.hpp"
#include "api/views/schema_rules.hpp"
#include "projections/batches/queries.hpp"

namespace annolog::api {

struct CreateBatchBody {
  std::optional<std::string> name;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  std::optional<std::vector<TaskId>> task_ids;
  std::optional<DatasetId> dataset_id;
  std::optional<std::int64_t> task_count;
};
BOOST_DESCRIBE_STRUCT(CreateBatchBody, (),
                      (name, annotator_id, reviewer_id, task_ids, dataset_id, task_count))

struct PatchBatchBody {
  std::optional<std::string> name;
  Patch<UserId> annotator_id;
  Patch<UserId> reviewer_id;
};
BOOST_DESCRIBE_STRUCT(PatchBatchBody, (), (name, annotator_id, reviewer_id))

struct AddBatchTasksBody {
  std::optional<std::vector<TaskId>> task_ids;
  std::optional<DatasetId> dataset_id;
  std::optional<std::int64_t> task_count;
};
BOOST_DESCRIBE_STRUCT(AddBatchTasksBody, (), (task_ids, dataset_id, task_count))

struct RemoveBatchTasksBody {
  std::vector<TaskId> task_ids;
};
BOOST_DESCRIBE_STRUCT(RemoveBatchTasksBody, (), (task_ids))

struct MoveBatchBody {
  BatchStatus target_status = BatchStatus::active;
  std::optional<std::string> reason;
  std::optional<std::string> review_feedback;
};
BOOST_DESCRIBE_STRUCT(MoveBatchBody, (), (target_status, reason, review_feedback))

struct ResetBatchBody {
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(ResetBatchBody, (), (reason))

struct BatchListQuery {
  std::vector<BatchStatus> status;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(BatchListQuery, (), (status, annotator_id, reviewer_id, limit, cursor))

struct BatchPage {
  std::vector<BatchView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(BatchPage, (), (items, next_cursor))

struct UnclassifiedCount {
  std::int64_t unclassified_count = 0;
};
BOOST_DESCRIBE_STRUCT(UnclassifiedCount, (), (unclassified_count))

}  // namespace annolog::api

namespace annolog::http {

// The decider says what is allowed; these say it to the reader of the description.
template <>
struct SchemaRules<api::CreateBatchBody> {
  static constexpr std::string_view kName = "CreateBatch";
  static void apply(ObjectRules& rules) {
    rules.describe(
        "Of the tasks named by task_ids; or of the task_count oldest unclassified ones, of one "
        "dataset when dataset_id says so; or of none yet. At most 10000.");
  }
};
template <>
struct SchemaRules<api::PatchBatchBody> {
  static constexpr std::string_view kName = "PatchBatch";
  static void apply(ObjectRules& rules) {
    rules.describe("Absent members stay; null clears annotator_id or reviewer_id.");
    rules.field("name").not_null();
  }
};
template <>
struct SchemaRules<api::AddBatchTasksBody> {
  static constexpr std::string_view kName = "AddBatchTasks";
  static void apply(ObjectRules&) {}
};
template <>
struct SchemaRules<api::RemoveBatchTasksBody> {
  static constexpr std::string_view kName = "RemoveBatchTasks";
  static void apply(ObjectRules& rules) { rules.field("task_ids").items(1, 10'000); }
};
template <>
struct SchemaRules<api::MoveBatchBody> {
  static constexpr std::string_view kName = "MoveBatch";
  static void apply(ObjectRules& rules) {
    rules.field("reason").describe("1 to 500 characters; needed for a reverse move.");
    rules.field("review_feedback").describe("1 to 2000 characters; needed for a rejection.");
  }
};
template <>
struct SchemaRules<api::ResetBatchBody> {
  static constexpr std::string_view kName = "ResetBatch";
  static void apply(ObjectRules& rules) {
    rules.field("reason").describe("10 to 2000 characters.");
  }
};
template <>
struct SchemaRules<api::BatchListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("status").defaulted();
    api::limit_rule(rules);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

http::Reply batch_reply(const Services& services, int status, BatchView view) {
  complete(services, view);
  const auto version = view.version;
  return http::reply(status, view).version(version);
}

// A write about the batch that the path names, answered with the batch.
awaitable<HandlerResult> change(Call& call, Services& services, commands::Command command,
                                std::string body_text) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, std::move(command), std::move(body_text)));
  co_return written(batch_reply(services, 200, std::move(done.get<BatchView>())), done);
}

awaitable<HandlerResult> create_batch(Call& call, Services& services) {
  const auto& body = call.body<CreateBatchBody>();
  BOOST_OUTCOME_CO_TRY(auto unfit,
                       co_await unfit_people(call, services, body.annotator_id, body.reviewer_id));
  CreateBatch command{.project_id = call.id<ProjectId>("project_id"),
                      .name = body.name,
                      .annotator_id = body.annotator_id,
                      .reviewer_id = body.reviewer_id,
                      .task_ids = body.task_ids,
                      .of_dataset = body.dataset_id,
                      .task_count = body.task_count,
                      .unfit = std::move(unfit)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  auto& view = done.get<BatchView>();
  const std::string location = "/api/v1/projects/" + std::to_string(view.project_id.value) +
                               "/batches/" + std::to_string(view.id.value);
  co_return written(batch_reply(services, 201, std::move(view)).header("Location", location), done);
}

awaitable<HandlerResult> list_batches(Call& call, Services& services) {
  const auto& query = call.query<BatchListQuery>();
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_settled(call, services, project));
  const projections::BatchFilter filter{.project_id = project,
                                        .statuses = query.status,
                                        .annotator_id = query.annotator_id,
                                        .reviewer_id = query.reviewer_id};
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::BatchQueries(services.reads)
                             .list(filter, after ? std::optional(BatchId{*after}) : std::nullopt,
                                   query.limit);
                       }));
  for (auto& batch : page.items) complete(services, batch);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_batch(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto view, co_await batch_of_path(call, services));
  co_return batch_reply(services, 200, std::move(view));
}

awaitable<HandlerResult> count_unclassified(Call& call, Services& services) {
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  BOOST_OUTCOME_CO_TRY(auto tasks, co_await read(services, [&] {
                         return projections::BatchQueries(services.reads).unclassified(project);
                       }));
  co_return http::reply(200, UnclassifiedCount{tasks});
}

awaitable<HandlerResult> patch_batch(Call& call, Services& services) {
  const auto& body = call.body<PatchBatchBody>();
  BOOST_OUTCOME_CO_TRY(auto unfit,
                       co_await unfit_people(call, services, body.annotator_id.as_optional(),
                                             body.reviewer_id.as_optional()));
  co_return co_await change(call, services,
                            UpdateBatch{.project_id = call.id<ProjectId>("project_id"),
                                        .batch = batch_in_path(call),
                                        .expected_version = call.if_match().versions(),
                                        .name = body.name,
                                        .annotator_id = body.annotator_id,
                                        .reviewer_id = body.reviewer_id,
                                        .unfit = std::move(unfit)},
                            codec::to_json_text(body));
}

awaitable<HandlerResult> delete_batch(Call& call, Services& services) {
  const DeleteBatch command{call.id<ProjectId>("project_id"), batch_in_path(call),
                            call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> add_tasks(Call& call, Services& services) {
  const auto& body = call.body<AddBatchTasksBody>();
  co_return co_await change(call, services,
                            AddBatchTasks{call.id<ProjectId>("project_id"), batch_in_path(call),
                                          body.task_ids, body.dataset_id, body.task_count},
                            codec::to_json_text(body));
}

awaitable<HandlerResult> remove_tasks(Call& call, Services& services) {
  const auto& body = call.body<RemoveBatchTasksBody>();
  co_return co_await change(
      call, services,
      RemoveBatchTasks{call.id<ProjectId>("project_id"), batch_in_path(call), body.task_ids},
      codec::to_json_text(body));
}

awaitable<HandlerResult> move_batch(Call& call, Services& services) {
  const auto& body = call.body<MoveBatchBody>();
  co_return co_await change(call, services,
                            MoveBatch{call.id<ProjectId>("project_id"), batch_in_path(call),
                                      body.target_status, body.reason, body.review_feedback},
                            codec::to_json_text(body));
}

awaitable<HandlerResult> reset_batch(Call& call, Services& services) {
  const auto& body = call.body<ResetBatchBody>();
  co_return co_await change(
      call, services,
      ResetBatch{call.id<ProjectId>("project_id"), batch_in_path(call), body.reason},
      codec::to_json_text(body));
}

using Handle = awaitable<HandlerResult> (*)(Call&, Services&);

http::Handler with(Services& services, Handle handle) {
  return [&services, handle](Call& call) { return handle(call, services); };
}

constexpr const char* kBatches = "/api/v1/projects/{project_id}/batches";
constexpr const char* kBatch = "/api/v1/projects/{project_id}/batches/{batch_id:text}";

// The routes that put tasks into a batch and take them out.
http::RouteTable batch_task_routes(Services& services) {
  const auto administering = http::Access::needs(Action::administer, http::Scope::project);
  return {{.method = http::Method::post,
           .path = std::string(kBatch) + "/tasks",
           .operation_id = "addBatchTasks",
           .summary = "Puts unclassified tasks into a batch that is draft or active",
           .tag = "batches",
           .access = administering,
           .body = http::Body::json<AddBatchTasksBody>(),
           .reply = http::replies<BatchView>(200),
           .handler = with(services, add_tasks)},
          {.method = http::Method::del,
           .path = std::string(kBatch) + "/tasks",
           .operation_id = "removeBatchTasks",
           .summary = "Takes tasks out of a batch that is draft or active",
           .tag = "batches",
           .access = administering,
           .body = http::Body::json<RemoveBatchTasksBody>(),
           .reply = http::replies<BatchView>(200),
           .handler = with(services, remove_tasks)}};
}

// The other routes that name one batch.
http::RouteTable one_batch_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto administering = Access::needs(Action::administer, Scope::project);
  const auto owning = Access::needs(Action::own, Scope::project);
  return {
      {.method = http::Method::get,
       .path = kBatch,
       .operation_id = "getBatch",
       .summary = "One batch, by id or display id",
       .tag = "batches",
       .access = Access::needs(Action::read_project, Scope::project),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, get_batch)},
      {.method = http::Method::patch,
       .path = kBatch,
       .operation_id = "updateBatch",
       .summary = "Changes name, annotator or reviewer; open tasks follow",
       .tag = "batches",
       .access = administering,
       .body = http::Body::json<PatchBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .if_match = true,
       .handler = with(services, patch_batch)},
      {.method = http::Method::del,
       .path = kBatch,
       .operation_id = "deleteBatch",
       .summary = "Deletes a batch; its tasks become unclassified",
       .tag = "batches",
       .access = owning,
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = with(services, delete_batch)},
      {.method = http::Method::post,
       .path = std::string(kBatch) + "/transition",
       .operation_id = "moveBatch",
       .summary = "Takes a step of the batch's transition table",
       .tag = "batches",
       // The annotator and the reviewer of a batch take some: the decider knows which.
       .access = Access::needs(Action::annotate, Scope::project),
       .body = http::Body::json<MoveBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, move_batch)},
      {.method = http::Method::post,
       .path = std::string(kBatch) + "/reset",
       .operation_id = "resetBatch",
       .summary = "Back to draft: all tasks are pending and free, annotations stay",
       .tag = "batches",
       .access = owning,
       .body = http::Body::json<ResetBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, reset_batch)},
  };
}

}  // namespace

http::RouteTable batch_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto reading = Access::needs(Action::read_project, Scope::project);
  http::RouteTable routes{
      {.method = http::Method::post,
       .path = kBatches,
       .operation_id = "createBatch",
       .summary = "Creates a batch, a draft",
       .tag = "batches",
       .access = Access::needs(Action::administer, Scope::project),
       .body = http::Body::json<CreateBatchBody>(),
       .reply = http::replies<BatchView>(201),
       .handler = with(services, create_batch)},
      {.method = http::Method::get,
       .path = kBatches,
       .operation_id = "listBatches",
       .summary = "The batches of a project in order of id, with their progress",
       .tag = "batches",
       .access = reading,
       .query = http::query_of<BatchListQuery>(),
       .reply = http::replies<BatchPage>(200),
       .handler = with(services, list_batches)},
      {.method = http::Method::get,
       .path = std::string(kBatches) + "/unclassified-count",
       .operation_id = "countUnclassified",
       .summary = "How many tasks are in no batch",
       .tag = "batches",
       .access = reading,
       .reply = http::replies<UnclassifiedCount>(200),
       .handler = with(services, count_unclassified)}};
  for (auto& route : one_batch_routes(services)) routes.push_back(std::move(route));
  for (auto& route : batch_task_routes(services)) routes.push_back(std::move(route));
  return routes;
}

}  // namespace annolog::api
