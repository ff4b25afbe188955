// Datasets and their links to projects.
#include <algorithm>
#include <chrono>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/describe/class.hpp>

#include "api/await_callback.hpp"
#include "api/await_removal.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"
#include "commands/process_managers/naming.hpp"
#include "projections/datasets/queries.hpp"

namespace annolog::api {

struct CreateDatasetBody {
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
};
BOOST_DESCRIBE_STRUCT(CreateDatasetBody, (), (name, description, data_type))

struct LinkDatasetBody {
  ProjectId project_id;
};
BOOST_DESCRIBE_STRUCT(LinkDatasetBody, (), (project_id))

struct DatasetPage {
  std::vector<DatasetView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(DatasetPage, (), (items, next_cursor))

struct LinkedDatasetView {
  DatasetId id;
  std::string name;
  DataType data_type = DataType::image;
  std::int64_t items_count = 0;
  std::int64_t tasks_in_project = 0;
  Timestamp linked_at;
};
BOOST_DESCRIBE_STRUCT(LinkedDatasetView, (),
                      (id, name, data_type, items_count, tasks_in_project, linked_at))

// Of a link whose tasks are still being made.
struct LinkUnderWay {
  std::int64_t job_id = 0;         // the link's number
  std::int64_t created_tasks = 0;  // until now
  std::int64_t existing_tasks = 0;
};
BOOST_DESCRIBE_STRUCT(LinkUnderWay, (), (job_id, created_tasks, existing_tasks))

// Of a link whose tasks are still leaving.
struct UnlinkingView {
  std::int64_t job_id = 0;  // the link's number
  DatasetId dataset_id;
  ProjectId project_id;
  std::optional<std::int64_t> remaining_tasks;  // none: the read models can't be asked
};
BOOST_DESCRIBE_STRUCT(UnlinkingView, (), (job_id, dataset_id, project_id, remaining_tasks))

struct LinkedDatasetPage {
  std::vector<LinkedDatasetView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(LinkedDatasetPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::CreateDatasetBody> {
  static constexpr std::string_view kName = "CreateDataset";
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, 200);
    rules.field("description").length(0, 10'000).defaulted();
    rules.field("data_type").defaulted();
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> create_dataset(Call& call, Services& services) {
  const auto& body = call.body<CreateDatasetBody>();
  CreateDataset command{{}, body.name, body.description, body.data_type, call.caller().id};
  BOOST_OUTCOME_CO_TRY(
      auto done,
      co_await run_through(call, services, std::move(command), codec::to_json_text(body),
                           [&](commands::Envelope e) { services.naming.create(std::move(e)); }));
  const auto& view = done.get<DatasetView>();
  co_return written(http::reply(201, view)
                        .version(view.version)
                        .header("Location", "/api/v1/datasets/" + std::to_string(view.id.value)),
                    done);
}

awaitable<HandlerResult> list_datasets(Call& call, Services& services) {
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  const auto seen = seen_projects(call, services);
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::DatasetQueries(services.reads)
                             .list(call.caller().id, seen,
                                   after ? std::optional(DatasetId{*after}) : std::nullopt,
                                   query.limit);
                       }));
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_dataset(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto view,
                       co_await visible_dataset(call, services, call.id<DatasetId>("dataset_id")));
  co_return http::reply(200, view).version(view.version);
}

awaitable<HandlerResult> linked_datasets(Call& call, Services& services) {
  const auto id = call.id<ProjectId>("project_id");
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(const auto after, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  const auto start = after.value_or(projections::TimeCursor{});
  BOOST_OUTCOME_CO_TRY(
      auto page, co_await read(services, [&] {
        return projections::DatasetQueries(services.reads).linked_to(id, start, query.limit);
      }));
  std::vector<LinkedDatasetView> items;
  for (const auto& one : page.items) {
    items.push_back({one.dataset.id, one.dataset.name, one.dataset.data_type,
                     one.dataset.items_count, one.tasks_in_project, one.linked_at});
  }
  co_return http::reply_json_text(200, page_json(items, next_cursor(call, services, page.next)));
}

// How long a link is waited for; it goes on by itself afterwards.
constexpr std::int64_t kLinkWaitMs = 60'000;
constexpr std::chrono::milliseconds kFirstLook{2};
constexpr std::chrono::milliseconds kLongestLook{500};

// Looks, ever more seldom, until the items that there were at the first look are tasks.
awaitable<Result<commands::LinkProgress>> await_link(Call& call, Services& services,
                                                     commands::ReadLink link) {
  const auto until_ms = services.clock.monotonic_ms() + kLinkWaitMs;
  boost::asio::steady_timer timer(call.executor());
  std::optional<std::int64_t> items;
  for (auto pause = kFirstLook;; pause = std::min(2 * pause, kLongestLook)) {
    BOOST_OUTCOME_CO_TRY(auto done, co_await look(call, services, link));
    auto progress = done.get<commands::LinkProgress>();
    progress.items = *(items = items.value_or(progress.items));
    const bool waited_enough = services.stopping || services.clock.monotonic_ms() > until_ms;
    if (progress.done >= progress.items || waited_enough) co_return progress;
    timer.expires_after(pause);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

// Lists the links of a project with tasks_in_project: there the rest can be watched.
std::string progress_of(ProjectId project) {
  return "/api/v1/projects/" + std::to_string(project.value) + "/datasets";
}

// The project is asked first, and may refuse by now what an earlier call with the same key did. The
// dataset recalls that, in the place of an update that expects no version and is never made.
awaitable<Result<Done>> link_again(Call& call, Services& services, DatasetId dataset,
                                   std::string text, DomainError refused) {
  if (refused.kind != DomainError::Kind::conflict) co_return refused;
  UpdateDataset never;
  never.dataset_id = dataset;
  never.expected_version.emplace();
  auto done = co_await run_command(call, services, std::move(never), std::move(text));
  if (done && done.value().replayed) co_return done;
  co_return refused;
}

// The project is asked first: it knows whether the caller may link to it. Then the dataset records
// the link, and the link runner makes the tasks.
awaitable<HandlerResult> link_dataset(Call& call, Services& services) {
  const auto dataset = call.id<DatasetId>("dataset_id");
  const auto project = call.body<LinkDatasetBody>().project_id;
  BOOST_OUTCOME_CO_TRY(auto view, co_await visible_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, project, "project"));
  // Both with the same text: where they share a shard, they share what an idempotency key recalls.
  const std::string text = codec::to_json_text(call.body<LinkDatasetBody>());
  auto linked = co_await run_command(call, services, CheckLinkAllowed{project, dataset}, text);
  if (linked) {
    linked = co_await run_command(call, services, LinkDataset{dataset, project}, text);
  } else {
    linked = co_await link_again(call, services, dataset, text, linked.error());
  }
  BOOST_OUTCOME_CO_TRY(auto done, std::move(linked));
  const auto awaited = co_await await_link(call, services, {dataset, project});
  if (!awaited && done.replayed)  // unlinked since
    co_return written(http::reply(200, done.get<commands::TasksMade>()), done);
  BOOST_OUTCOME_CO_TRY(const auto progress, awaited);
  // Where the project stands now: all its tasks are before it.
  BOOST_OUTCOME_CO_TRY(auto seen,
                       co_await look(call, services, commands::ReadUnlinking{project, dataset}));
  std::vector<commands::Position> positions;
  for (const auto& at : {done.position, seen.position})
    if (at) positions.push_back(*at);
  auto made = done.get<commands::TasksMade>();
  // 202: so many until now, the rest follows by itself. Linking again finds what is there.
  const bool complete = progress.done >= progress.items;
  if (!complete && !done.replayed) made.created_tasks = std::min(progress.done, made.created_tasks);
  auto reply = http::reply(200, made);
  if (!complete) {
    const LinkUnderWay link{progress.link, made.created_tasks, made.existing_tasks};
    reply = http::reply(202, link).header("Location", progress_of(project));
  }
  co_return written(std::move(reply), positions, done.replayed);
}

// The project decides; its tasks go, then the link. Whoever reads after this sees neither.
awaitable<HandlerResult> unlink_dataset(Call& call, Services& services) {
  const auto dataset = call.id<DatasetId>("dataset_id");
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, project, "project"));
  auto link = co_await look(call, services, commands::ReadLink{dataset, project});
  // None is refused by the project, unless it recalls the call: a retry comes when the link is
  // gone.
  const std::int64_t number = link ? link.value().get<commands::LinkProgress>().link : 0;
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, UnlinkDataset{project, dataset, number}));
  const bool finished = co_await await_unlinking(call, services, {project, dataset});
  std::vector<commands::Position> positions;
  if (done.position) positions.push_back(*done.position);
  auto in_project = co_await look(call, services, commands::ReadUnlinking{project, dataset});
  if (in_project && in_project.value().position) positions.push_back(*in_project.value().position);
  auto in_dataset = co_await look(call, services, commands::ReadLinkWindow{dataset, project, 0});
  if (in_dataset && in_dataset.value().position) positions.push_back(*in_dataset.value().position);
  auto reply = http::no_content();
  if (!finished) {  // the rest goes by itself
    const auto remaining = co_await read(services, [&]() -> Result<std::int64_t> {
      return projections::DatasetQueries(services.reads).tasks_in_project(dataset, project);
    });
    reply = http::reply(202,
                        UnlinkingView{number, dataset, project,
                                      remaining ? std::optional(remaining.value()) : std::nullopt});
    reply.headers.emplace_back("Location", progress_of(project));
  }
  co_return written(std::move(reply), positions, done.replayed);
}

}  // namespace

http::RouteTable dataset_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::post,
       .path = "/api/v1/datasets",
       .operation_id = "createDataset",
       .summary = "Creates a dataset",
       .tag = "datasets",
       .access = Access::needs(Action::create_projects, Scope::none),
       .action = "dataset.create",
       .target = "dataset",
       .body = http::Body::json<CreateDatasetBody>(),
       .reply = http::replies<DatasetView>(201),
       .handler = [&services](Call& call) { return create_dataset(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/datasets",
       .operation_id = "listDatasets",
       .summary = "The datasets that the caller may see, newest first",
       .tag = "datasets",
       .access = Access::needs(Action::use_account, Scope::none),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<DatasetPage>(200),
       .handler = [&services](Call& call) { return list_datasets(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/datasets/{dataset_id}",
       .operation_id = "getDataset",
       .summary = "One dataset",
       .tag = "datasets",
       .access = Access::needs(Action::use_account, Scope::dataset),
       .reply = http::replies<DatasetView>(200),
       .handler = [&services](Call& call) { return get_dataset(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/link",
       .operation_id = "linkDataset",
       .summary = "Links the dataset to a project: each item becomes a task, later ones too",
       .tag = "datasets",
       .access = Access::needs(Action::use_account, Scope::dataset),
       .action = "dataset.link",
       .body = http::Body::json<LinkDatasetBody>(),
       .reply = http::or_later<LinkUnderWay>(http::replies<commands::TasksMade>(200),
                                             "So many tasks until now; the rest follows."),
       .handler = [&services](Call& call) { return link_dataset(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/datasets/{dataset_id}/link/{project_id}",
       .operation_id = "unlinkDataset",
       .summary =
           "Unlinks the dataset: its tasks leave the project, and batches left empty by that",
       .tag = "datasets",
       .access = Access::needs(Action::use_account, Scope::dataset),
       .action = "dataset.unlink",
       .reply = http::or_later<UnlinkingView>(
           http::replies_nothing(),
           "The tasks are still leaving, by themselves; Location shows how many are left."),
       .handler = [&services](Call& call) { return unlink_dataset(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/datasets",
       .operation_id = "listLinkedDatasets",
       .summary = "The datasets linked to a project, in order of linking",
       .tag = "datasets",
       .access = Access::needs(Action::read_project, Scope::project),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<LinkedDatasetPage>(200),
       .handler = [&services](Call& call) { return linked_datasets(call, services); }},
  };
}

}  // namespace annolog::api
