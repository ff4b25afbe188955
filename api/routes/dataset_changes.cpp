// Changes of datasets and items that are there: names, removal, sizes.
#include <algorithm>
#include <span>
#include <system_error>

#include <boost/describe/class.hpp>

#include "api/http/cursor.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"
#include "commands/process_managers/naming.hpp"
#include "domain/support/number.hpp"
#include "projections/datasets/queries.hpp"

namespace annolog::api {

struct PatchDatasetBody {
  std::optional<std::string> name;
  std::optional<std::string> description;
};
BOOST_DESCRIBE_STRUCT(PatchDatasetBody, (), (name, description))

struct BackfillQuery {
  std::int64_t batch = 100;
  std::optional<std::string> cursor;
  bool async = false;
};
BOOST_DESCRIBE_STRUCT(BackfillQuery, (), (batch, cursor, async))

struct BackfillReply {
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::vector<MeasureFailure> failed;
  std::optional<std::string> remaining_from;
};
BOOST_DESCRIBE_STRUCT(BackfillReply, (), (processed, updated, failed, remaining_from))

struct BackfillJobView {
  std::int64_t job_id = 0;  // of the dataset's
  BackfillStatus status = BackfillStatus::running;
  UserId started_by;
  Timestamp started_at;
  std::optional<Timestamp> finished_at;
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::int64_t failed = 0;
  std::vector<MeasureFailure> failures;
};
BOOST_DESCRIBE_STRUCT(BackfillJobView, (),
                      (job_id, status, started_by, started_at, finished_at, processed, updated,
                       failed, failures))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::PatchDatasetBody> {
  static constexpr std::string_view kName = "PatchDataset";
  static void apply(ObjectRules& rules) {
    rules.describe("Members that are absent stay as they are.");
    rules.field("name").length(1, 200).not_null();
    rules.field("description").length(0, 10'000).not_null();
  }
};
template <>
struct SchemaRules<api::BackfillJobView> {
  static constexpr std::string_view kName = "BackfillJob";
  static void apply(ObjectRules& rules) { rules.field("failures").describe("The first hundred."); }
};
template <>
struct SchemaRules<api::BackfillQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("batch").range(1, kMaxItemsPerEvent).defaulted();
    rules.field("cursor").length(1, 4096).describe("remaining_from of the call before.");
    rules.field("async").defaulted().describe(
        "true: a job does all of it, without batch or cursor; it is there already when one runs.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> patch_dataset(Call& call, Services& services) {
  const auto& body = call.body<PatchDatasetBody>();
  const auto id = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(auto dataset, co_await own_dataset(call, services, id));
  UpdateDataset command{id, dataset.creator_id, call.if_match().versions(), body.name,
                        body.description};
  const bool renames = body.name.has_value();
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_through(call, services, std::move(command), codec::to_json_text(body),
                                      [&](commands::Envelope e) {
                                        if (renames) {
                                          services.naming.rename(std::move(e));
                                        } else {
                                          services.bus.send(std::move(e));
                                        }
                                      }));
  const auto& view = done.get<DatasetView>();
  co_return written(http::reply(200, view).version(view.version), done);
}

// The dataset's shard refuses whoever may not change it; whoever may not even see it is told that
// there is none. A retry of what is done finds nothing to see any more, and the read models may be
// away: the shard has the answer, and only a refusal is told otherwise.
awaitable<Result<Done>> run_if_visible(Call& call, Services& services, DatasetId id, auto run) {
  auto seen = co_await visible_dataset(call, services, id);
  const bool is_unseen = !seen && seen.assume_error().kind == DomainError::Kind::not_found;
  if (is_unseen && !call.idempotency_key()) co_return std::move(seen).error();
  call.audit().at_end = !seen;
  Result<Done> done = co_await run();
  const bool is_hidden = !seen && !done && done.assume_error().kind == DomainError::Kind::forbidden;
  if (is_hidden) co_return std::move(seen).error();
  co_return done;
}

awaitable<HandlerResult> delete_dataset(Call& call, Services& services) {
  const auto id = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_if_visible(call, services, id, [&] {
                         return run_through(
                             call, services, DeleteDataset{id, call.if_match().versions()}, {},
                             [&](commands::Envelope e) { services.naming.remove(std::move(e)); });
                       }));
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> delete_item(Call& call, Services& services) {
  const auto id = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_if_visible(call, services, id, [&] {
                         return run_command(call, services,
                                            DeleteItem{id, call.id<ItemId>("item_id")});
                       }));
  co_return written(http::no_content(), done);
}

// --- backfill-dimensions

constexpr std::size_t kMeasuredAtOnce = 25;  // then others get their turn at the file threads

// A cursor is good for any batch.
std::string backfill_fingerprint(const Call& call) {
  return std::string(call.head().path) + "#" + std::to_string(call.caller().id.value);
}

Result<ItemId> backfill_start(const Call& call, const Services& services,
                              const std::optional<std::string>& cursor) {
  if (!cursor) return ItemId{};
  BOOST_OUTCOME_TRY(auto text, services.cursors.decode(backfill_fingerprint(call), *cursor));
  return ItemId{id_number(text)};
}

http::Reply job_reply(int status, BackfillState&& job) {
  return http::reply(status, BackfillJobView{job.number, job.status, job.started_by, job.started_at,
                                             job.finished_at, job.processed, job.updated,
                                             job.failed, std::move(job.failures)});
}

std::string job_path(DatasetId dataset) {
  return "/api/v1/datasets/" + std::to_string(dataset.value) + "/backfill-dimensions";
}

awaitable<HandlerResult> start_backfill(Call& call, Services& services, DatasetId dataset) {
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_if_visible(call, services, dataset, [&] {
                         return run_command(call, services, StartBackfill{dataset});
                       }));
  co_return written(
      job_reply(202, std::move(done.get<BackfillState>())).header("Location", job_path(dataset)),
      done);
}

awaitable<HandlerResult> get_backfill(Call& call, Services& services) {
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(co_await visible_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(auto seen, co_await look(call, services, commands::ReadBackfill{dataset}));
  co_return job_reply(200, std::move(seen.get<BackfillState>()));
}

awaitable<HandlerResult> cancel_backfill(Call& call, Services& services) {
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_if_visible(call, services, dataset, [&] {
                         return run_command(call, services, CancelBackfill{dataset});
                       }));
  co_return written(job_reply(200, std::move(done.get<BackfillState>())), done);
}

awaitable<HandlerResult> backfill_dimensions(Call& call, Services& services) {
  const auto& query = call.query<BackfillQuery>();
  const auto dataset = call.id<DatasetId>("dataset_id");
  if (query.async && query.cursor)
    co_return validation_error({{{"cursor"}, "A job begins at the beginning.", "not_allowed"}});
  if (query.async) co_return co_await start_backfill(call, services, dataset);
  BOOST_OUTCOME_CO_TRY(const auto start, backfill_start(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await own_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(
      auto page, co_await read(services, [&] {
        return projections::DatasetQueries(services.reads).unmeasured(dataset, start, query.batch);
      }));
  MeasureItems command{dataset, {}, {}, page.next};
  for (std::size_t at = 0; at < page.items.size() && !services.stopping; at += kMeasuredAtOnce) {
    const auto count = std::min(kMeasuredAtOnce, page.items.size() - at);
    BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.file_threads, [&] {
      services.measure_items(std::span(page.items).subspan(at, count), command.sizes,
                             command.failed);
    }));
    if (services.stopping && at + count < page.items.size())
      command.reached = page.items[at + count - 1].id;
  }
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command)));
  auto& measured = done.get<commands::ItemsMeasured>();
  BackfillReply reply{measured.processed, measured.updated, std::move(measured.failed), {}};
  if (measured.reached) {
    reply.remaining_from = services.cursors.encode(backfill_fingerprint(call),
                                                   std::to_string(measured.reached->value));
  }
  co_return written(http::reply(200, reply), done);
}

}  // namespace

http::RouteTable dataset_change_routes(Services& services) {
  using http::Access;
  const auto access = Access::needs(Action::use_account, http::Scope::dataset);
  return {
      {.method = http::Method::patch,
       .path = "/api/v1/datasets/{dataset_id}",
       .operation_id = "updateDataset",
       .summary = "Changes a dataset's name or description",
       .tag = "datasets",
       .access = access,
       .action = "dataset.update",
       .body = http::Body::json<PatchDatasetBody>(),
       .reply = http::replies<DatasetView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return patch_dataset(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}",
       .operation_id = "deleteDataset",
       .summary = "Deletes a dataset that no project is linked to, with its items and uploads",
       .tag = "datasets",
       .access = access,
       .action = "dataset.delete",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = [&services](Call& call) { return delete_dataset(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}/items/{item_id}",
       .operation_id = "deleteItem",
       .summary = "Deletes a pending item, or one of a dataset that no project is linked to",
       .tag = "items",
       .access = access,
       .action = "item.delete",
       .target = "item",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return delete_item(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/backfill-dimensions",
       .operation_id = "backfillDimensions",
       .summary = "Reads width and height of images that lack them: some, or all as a job",
       .tag = "datasets",
       .access = access,
       .action = "dataset.backfill_dimensions",
       .query = http::query_of<BackfillQuery>(),
       .reply = http::or_later<BackfillJobView>(
           http::replies<BackfillReply>(200),
           "The job that goes on by itself; Location shows how far it is."),
       .handler = [&services](Call& call) { return backfill_dimensions(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/datasets/{dataset_id}/backfill-dimensions",
       .operation_id = "getBackfill",
       .summary = "How far the latest job is that reads width and height, or how it ended",
       .tag = "datasets",
       .access = access,
       .reply = http::replies<BackfillJobView>(200),
       .handler = [&services](Call& call) { return get_backfill(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}/backfill-dimensions",
       .operation_id = "cancelBackfill",
       .summary = "Cancels the job that reads width and height; what it has read stays",
       .tag = "datasets",
       .access = access,
       .action = "dataset.cancel_backfill",
       .reply = http::replies<BackfillJobView>(200),
       .handler = [&services](Call& call) { return cancel_backfill(call, services); }},
  };
}

}  // namespace annolog::api
