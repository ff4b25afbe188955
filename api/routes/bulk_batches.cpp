// Many batches in one call: one atomic append each.
#include <boost/describe/class.hpp>

#include "api/batch_people.hpp"
#include "api/routes/tables.hpp"
#include "api/views/schema_rules.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct BulkBatchesBody {
  std::vector<BatchRef> batch_ids;
};
BOOST_DESCRIBE_STRUCT(BulkBatchesBody, (), (batch_ids))

struct ReassignBatchesBody {
  std::vector<BatchRef> batch_ids;
  Patch<UserId> annotator_id;
  Patch<UserId> reviewer_id;
};
BOOST_DESCRIBE_STRUCT(ReassignBatchesBody, (), (batch_ids, annotator_id, reviewer_id))

struct DistributeBatchesBody {
  std::vector<UserId> annotator_ids;
  std::vector<UserId> reviewer_ids;
  DistributeScope scope = DistributeScope::unassigned;
};
BOOST_DESCRIBE_STRUCT(DistributeBatchesBody, (), (annotator_ids, reviewer_ids, scope))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::BulkBatchesBody> {
  static constexpr std::string_view kName = "BulkBatches";
  static void apply(ObjectRules& rules) { rules.field("batch_ids").items(1, kMaxBulkBatches); }
};
template <>
struct SchemaRules<api::ReassignBatchesBody> {
  static constexpr std::string_view kName = "ReassignBatches";
  static void apply(ObjectRules& rules) {
    rules.describe("An absent annotator_id or reviewer_id stays, null clears.");
    rules.field("batch_ids").items(1, kMaxBulkBatches);
  }
};
template <>
struct SchemaRules<api::DistributeBatchesBody> {
  static constexpr std::string_view kName = "DistributeBatches";
  static void apply(ObjectRules& rules) {
    rules.describe("In a circle over the batches in order; an empty list leaves its side.");
    rules.field("annotator_ids").items(0, 1000).defaulted();
    rules.field("reviewer_ids").items(0, 1000).defaulted();
    rules.field("scope").defaulted();
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// Should the call be refused, the audit says what it named.
void note_batches(Call& call, const std::vector<BatchRef>& batches) {
  std::vector<std::int64_t> ids;
  std::vector<std::string> names;
  for (const BatchRef& batch : batches) {
    if (batch.id != 0) ids.push_back(batch.id);
    else if (is_display_id(batch)) names.push_back(to_string(batch));
  }
  RequestDetail& detail = call.audit().detail;
  if (!ids.empty()) detail.batch_ids = std::move(ids);
  if (!names.empty()) detail.display_ids = std::move(names);
}

template <class Outcome>
awaitable<HandlerResult> decide_bulk(Call& call, Services& services, commands::Command command,
                                     std::string body_text) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, std::move(command), std::move(body_text)));
  co_return written(http::reply(200, done.get<Outcome>()), done);
}

awaitable<HandlerResult> change_batches(Call& call, Services& services, BulkAction action) {
  const auto& body = call.body<BulkBatchesBody>();
  note_batches(call, body.batch_ids);
  ChangeBatches command{call.id<ProjectId>("project_id"), action, body.batch_ids};
  if (action == BulkAction::activate) {
    command.unfit = co_await unfit_annotators(call, services, command.project_id, command.batches);
  }
  co_return co_await decide_bulk<BulkOutcome>(call, services, std::move(command),
                                              codec::to_json_text(body));
}

http::Handler changer(Services& services, BulkAction action) {
  return [&services, action](Call& call) { return change_batches(call, services, action); };
}

awaitable<HandlerResult> reassign_batches(Call& call, Services& services) {
  const auto& body = call.body<ReassignBatchesBody>();
  note_batches(call, body.batch_ids);
  BOOST_OUTCOME_CO_TRY(auto unfit,
                       co_await unfit_people(call, services, body.annotator_id.as_optional(),
                                             body.reviewer_id.as_optional()));
  co_return co_await decide_bulk<BulkOutcome>(
      call, services,
      ReassignBatches{call.id<ProjectId>("project_id"), body.batch_ids, body.annotator_id,
                      body.reviewer_id, std::move(unfit)},
      codec::to_json_text(body));
}

awaitable<HandlerResult> distribute(Call& call, Services& services) {
  const auto& body = call.body<DistributeBatchesBody>();
  BOOST_OUTCOME_CO_TRY(
      auto unfit, co_await unfit_people(call, services, body.annotator_ids, body.reviewer_ids));
  co_return co_await decide_bulk<DistributeOutcome>(
      call, services,
      DistributeBatches{call.id<ProjectId>("project_id"), body.annotator_ids, body.reviewer_ids,
                        body.scope, std::move(unfit)},
      codec::to_json_text(body));
}

http::Route bulk_route(const char* name, const char* id, const char* action, const char* summary,
                       http::Body body, http::Handler handler) {
  return {.method = http::Method::post,
          .path = std::string("/api/v1/projects/{project_id}/batches/") + name,
          .operation_id = id,
          .summary = summary,
          .tag = "batches",
          .access = http::Access::needs(Action::own, http::Scope::project),
          .action = action,
          .body = std::move(body),
          .reply = http::replies<BulkOutcome>(200),
          .handler = std::move(handler)};
}

}  // namespace

http::RouteTable bulk_batch_routes(Services& services) {
  const auto batches = http::Body::json<BulkBatchesBody>();
  http::RouteTable routes{
      bulk_route("bulk-archive", "archiveBatches", "batch.bulk_archive",
                 "Archives batches, each decided for itself", batches,
                 changer(services, BulkAction::archive)),
      bulk_route("bulk-delete", "deleteBatches", "batch.bulk_delete",
                 "Deletes batches, each decided for itself; their tasks become unclassified",
                 batches, changer(services, BulkAction::remove)),
      bulk_route("bulk-activate", "activateBatches", "batch.bulk_activate",
                 "Activates batches, each decided for itself", batches,
                 changer(services, BulkAction::activate)),
      bulk_route("bulk-reassign", "reassignBatches", "batch.bulk_reassign",
                 "Gives batches other people, all or none; open tasks follow",
                 http::Body::json<ReassignBatchesBody>(),
                 [&services](Call& call) { return reassign_batches(call, services); }),
      bulk_route("distribute-batches", "distributeBatches", "batch.distribute",
                 "Gives the project's batches to people in turn",
                 http::Body::json<DistributeBatchesBody>(),
                 [&services](Call& call) { return distribute(call, services); })};
  routes.back().reply = http::replies<DistributeOutcome>(200);
  return routes;
}

}  // namespace annolog::api
