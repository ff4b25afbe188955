// What is done with one batch: the steps of its transition table, and its tasks.
#include "api/routes/tables.hpp"

#include <boost/describe/class.hpp>

#include "api/batch_people.hpp"
#include "api/batch_reads.hpp"
#include "api/pages.hpp"
#include "api/settled_reads.hpp"
#include "api/views/schema_rules.hpp"
#include "projections/batches/queries.hpp"

namespace annolog::api {

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

}  // namespace annolog::api

namespace annolog::http {

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

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> add_tasks(Call& call, Services& services) {
  const auto& body = call.body<AddBatchTasksBody>();
  co_return co_await change_batch(
      call, services,
      AddBatchTasks{call.id<ProjectId>("project_id"), batch_in_path(call), body.task_ids,
                    body.dataset_id, body.task_count},
      codec::to_json_text(body));
}

awaitable<HandlerResult> remove_tasks(Call& call, Services& services) {
  const auto& body = call.body<RemoveBatchTasksBody>();
  co_return co_await change_batch(
      call, services,
      RemoveBatchTasks{call.id<ProjectId>("project_id"), batch_in_path(call), body.task_ids},
      codec::to_json_text(body));
}

awaitable<HandlerResult> move_batch(Call& call, Services& services) {
  const auto& body = call.body<MoveBatchBody>();
  call.audit().detail.reason = body.reason;
  MoveBatch command{call.id<ProjectId>("project_id"), batch_in_path(call), body.target_status,
                    body.reason, body.review_feedback};
  if (command.target_status == BatchStatus::active) {
    command.unfit = co_await unfit_annotators(call, services, command.project_id, {command.batch});
  }
  co_return co_await change_batch(call, services, std::move(command), codec::to_json_text(body));
}

awaitable<HandlerResult> reset_batch(Call& call, Services& services) {
  const auto& body = call.body<ResetBatchBody>();
  call.audit().detail.reason = body.reason;
  co_return co_await change_batch(
      call, services,
      ResetBatch{call.id<ProjectId>("project_id"), batch_in_path(call), body.reason},
      codec::to_json_text(body));
}

}  // namespace

http::RouteTable batch_step_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto administering = Access::needs(Action::administer, Scope::project);
  const auto owning = Access::needs(Action::own, Scope::project);
  return {
      {.method = http::Method::post,
       .path = std::string(kBatchPath) + "/transition",
       .operation_id = "moveBatch",
       .summary = "Takes a step of the batch's transition table",
       .tag = "batches",
       // The annotator and the reviewer of a batch take some: the decider knows which.
       .access = Access::needs(Action::annotate, Scope::project),
       .action = "batch.transition",
       .target = "batch",
       .body = http::Body::json<MoveBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, move_batch)},
      {.method = http::Method::post,
       .path = std::string(kBatchPath) + "/reset",
       .operation_id = "resetBatch",
       .summary = "Back to draft: all tasks are pending and free, annotations stay",
       .tag = "batches",
       .access = owning,
       .action = "batch.reset",
       .target = "batch",
       .body = http::Body::json<ResetBatchBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, reset_batch)},
      {.method = http::Method::post,
       .path = std::string(kBatchPath) + "/tasks",
       .operation_id = "addBatchTasks",
       .summary = "Puts unclassified tasks into a batch that is draft or active",
       .tag = "batches",
       .access = administering,
       .action = "batch.add_tasks",
       .target = "batch",
       .body = http::Body::json<AddBatchTasksBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, add_tasks)},
      {.method = http::Method::del,
       .path = std::string(kBatchPath) + "/tasks",
       .operation_id = "removeBatchTasks",
       .summary = "Takes tasks out of a batch that is draft or active",
       .tag = "batches",
       .access = administering,
       .action = "batch.remove_tasks",
       .target = "batch",
       .body = http::Body::json<RemoveBatchTasksBody>(),
       .reply = http::replies<BatchView>(200),
       .handler = with(services, remove_tasks)},
  };
}

}  // namespace annolog::api
