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
constexpr const char* kBatchNameRule = "1 to 200 characters, without the blanks around it.";

template <>
struct SchemaRules<api::CreateBatchBody> {
  static constexpr std::string_view kName = "CreateBatch";
  static void apply(ObjectRules& rules) {
    rules.describe(
        "Of the tasks named by task_ids; or of the task_count oldest unclassified ones, of one "
        "dataset when dataset_id says so; or of none yet. At most 10000.");
    rules.field("name").describe(kBatchNameRule);
  }
};
template <>
struct SchemaRules<api::PatchBatchBody> {
  static constexpr std::string_view kName = "PatchBatch";
  static void apply(ObjectRules& rules) {
    rules.describe("Absent members stay; null clears annotator_id or reviewer_id.");
    rules.field("name").not_null().describe(kBatchNameRule);
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
  co_return co_await change_batch(call, services,
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

constexpr const char* kBatches = "/api/v1/projects/{project_id}/batches";

// The routes that name one batch, but for its steps (batch_steps.cpp).
http::RouteTable one_batch_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto administering = Access::needs(Action::administer, Scope::project);
  const auto owning = Access::needs(Action::own, Scope::project);
  return {
      {.method = http::Method::get,
       .path = kBatchPath,
       .operation_id = "getBatch",
       .summary = "One batch, by id or display id",
       .tag = "batches",
       .access = Access::needs(Action::read_project, Scope::project),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, get_batch)},
      {.method = http::Method::patch,
       .path = kBatchPath,
       .operation_id = "updateBatch",
       .summary = "Changes name, annotator or reviewer; open tasks follow",
       .tag = "batches",
       .access = administering,
       .action = "batch.update",
       .target = "batch",
       .body = http::Body::json<PatchBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .if_match = true,
       .handler = with(services, patch_batch)},
      {.method = http::Method::del,
       .path = kBatchPath,
       .operation_id = "deleteBatch",
       .summary = "Deletes a batch; its tasks become unclassified",
       .tag = "batches",
       .access = owning,
       .action = "batch.delete",
       .target = "batch",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = with(services, delete_batch)},
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
       .action = "batch.create",
       .target = "batch",
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
  return routes;
}

}  // namespace annolog::api
