// Changes of datasets and items that are there: names, removal, sizes.
#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

#include <boost/describe/class.hpp>

#include "api/http/cursor.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"
#include "commands/process_managers/naming.hpp"
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
};
BOOST_DESCRIBE_STRUCT(BackfillQuery, (), (batch, cursor))

struct BackfillReply {
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::vector<MeasureFailure> failed;
  std::optional<std::string> remaining_from;
};
BOOST_DESCRIBE_STRUCT(BackfillReply, (), (processed, updated, failed, remaining_from))

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
struct SchemaRules<api::BackfillQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("batch").range(1, kMaxItemsPerEvent).defaulted();
    rules.field("cursor").length(1, 4096).describe("remaining_from of the call before.");
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
// there is none. Asked afterwards: a retry of what is done finds nothing to see any more.
awaitable<DomainError> shown_refusal(Call& call, Services& services, DatasetId id,
                                     DomainError refusal) {
  if (refusal.kind != DomainError::Kind::forbidden) co_return refusal;
  auto seen = co_await visible_dataset(call, services, id);
  if (!seen) co_return std::move(seen).error();
  co_return refusal;
}

awaitable<HandlerResult> delete_dataset(Call& call, Services& services) {
  const auto id = call.id<DatasetId>("dataset_id");
  const DeleteDataset command{id, call.if_match().versions()};
  auto done = co_await run_through(call, services, command, {}, [&](commands::Envelope e) {
    services.naming.remove(std::move(e));
  });
  if (!done) co_return co_await shown_refusal(call, services, id, std::move(done).error());
  co_return written(http::no_content(), done.value());
}

awaitable<HandlerResult> delete_item(Call& call, Services& services) {
  const auto id = call.id<DatasetId>("dataset_id");
  auto done = co_await run_command(call, services, DeleteItem{id, call.id<ItemId>("item_id")});
  if (!done) co_return co_await shown_refusal(call, services, id, std::move(done).error());
  co_return written(http::no_content(), done.value());
}

// --- backfill-dimensions

constexpr std::size_t kMeasuredAtOnce = 25;  // then others get their turn at the file threads

Result<ImageFacts> measure(Services& services, const ItemView& item) {
  try {
    BOOST_OUTCOME_TRY(auto key, platform::ObjectKey::parse(item.file_path));
    BOOST_OUTCOME_TRY(auto reader, services.objects.open_read(key));
    return services.probe_image(*reader, item.file_type);
  } catch (const std::system_error& error) {
    services.logger.error("an object can't be read",
                          {{"key", item.file_path}, {"error", error.what()}});
    return DomainError{DomainError::Kind::invalid,
                       "UNREADABLE",
                       "The object store can't read the file.",
                       {},
                       {},
                       0};
  }
}

void measure_into(Services& services, std::span<const ItemView> items, MeasureItems& command) {
  for (const ItemView& item : items) {
    const auto size = measure(services, item);
    if (size) {
      command.sizes.push_back({item.id, size.value().width, size.value().height});
    } else if (size.error().code == "NOT_FOUND") {
      command.failed.push_back({item.id, "Nothing lies at the item's file_path."});
    } else {
      command.failed.push_back({item.id, size.error().message});
    }
  }
}

// A cursor is good for any batch.
std::string backfill_fingerprint(const Call& call) {
  return std::string(call.head().path) + "#" + std::to_string(call.caller().id.value);
}

Result<ItemId> backfill_start(const Call& call, const Services& services,
                              const std::optional<std::string>& cursor) {
  if (!cursor) return ItemId{};
  BOOST_OUTCOME_TRY(auto text, services.cursors.decode(backfill_fingerprint(call), *cursor));
  std::int64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return ItemId{id};
}

awaitable<HandlerResult> backfill_dimensions(Call& call, Services& services) {
  const auto& query = call.query<BackfillQuery>();
  const auto dataset = call.id<DatasetId>("dataset_id");
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
      measure_into(services, std::span(page.items).subspan(at, count), command);
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
       .body = http::Body::json<PatchDatasetBody>(),
       .reply = http::replies<DatasetView>(200),
       .handler = [&services](Call& call) { return patch_dataset(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}",
       .operation_id = "deleteDataset",
       .summary = "Deletes a dataset that no project is linked to, with its items and uploads",
       .tag = "datasets",
       .access = access,
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return delete_dataset(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}/items/{item_id}",
       .operation_id = "deleteItem",
       .summary = "Deletes a pending item, or one of a dataset that no project is linked to",
       .tag = "items",
       .access = access,
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return delete_item(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/backfill-dimensions",
       .operation_id = "backfillDimensions",
       .summary = "Reads width and height of images that lack them; repeat while there are more",
       .tag = "datasets",
       .access = access,
       .query = http::query_of<BackfillQuery>(),
       .reply = http::replies<BackfillReply>(200),
       .handler = [&services](Call& call) { return backfill_dimensions(call, services); }},
  };
}

}  // namespace annolog::api
