// Exports of a project, streamed.
#include <boost/describe/class.hpp>

#include "api/batch_reads.hpp"
#include "api/class_names.hpp"
#include "api/places.hpp"
#include "api/routes/tables.hpp"
#include "api/settled_reads.hpp"
#include "api/status_words.hpp"
#include "api/stream_job.hpp"
#include "api/visibility.hpp"

namespace annolog::api {

struct ExportQuery {
  std::string format;
  bool include_attributes = false;
  std::vector<std::string> status;
  std::vector<std::string> class_;  // names
};
BOOST_DESCRIBE_STRUCT(ExportQuery, (), (format, include_attributes, status, class_))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::ExportQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("format").one_of({"coco", "voc", "yolo", "native_json"});
    rules.field("include_attributes").defaulted();
    rules.field("status")
        .defaulted()
        .describe("Only tasks in one of these.")
        .each()
        .one_of(api::status_words());
    rules.field("class")
        .defaulted()
        .whole_items()
        .items(0, kMaxClasses)
        .describe("Names, each a parameter of its own. Only annotations of these; images stay.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

constexpr std::size_t kExportsOfUser = 4;

DomainError too_many_exports() {
  return {DomainError::Kind::limited,
          "TOO_MANY_EXPORTS",
          "At most " + std::to_string(kExportsOfUser) + " exports of a user run at once.",
          {},
          {},
          10};
}

// What both routes have: the places are of all exports.
struct Exporting {
  Services& services;
  Places places{
      {.all = kExportsAtOnce, .each = kExportsOfUser},
      too_many_exports(),
      services.metrics.gauge({"exports_running", "Exports under way", {{"kind", "annotations"}}})};
};

awaitable<HandlerResult> export_tasks(Call& call, Exporting& on,
                                      std::optional<ExportedBatch> batch) {
  Services& services = on.services;
  const auto& query = call.query<ExportQuery>();
  call.audit().detail.format = query.format;
  ExportRequest request{.project_id = call.id<ProjectId>("project_id"),
                        .format = query.format,
                        .include_attributes = query.include_attributes,
                        .statuses = statuses_of(query.status),
                        .class_ids = {},
                        .batch = std::move(batch)};
  BOOST_OUTCOME_CO_TRY(auto project, co_await project_of_id(call, services, request.project_id));
  call.audit().detail.display_id = request.batch ? request.batch->display_id : project.display_id;
  BOOST_OUTCOME_CO_TRY(services.check_export(request, project.type_key));
  // They stay what they are when a class is renamed before the snapshot is taken.
  BOOST_OUTCOME_CO_TRY(auto class_ids, class_ids_of(project.classes_config, query.class_));
  request.class_ids = std::move(class_ids);
  // Who has a place has a thread: from here on the first byte waits for nobody's reader, and who
  // has none leaves no trace.
  BOOST_OUTCOME_CO_TRY(auto place, on.places.take(call.caller().id.value));
  // The trace comes first; the snapshot then holds at least what stood when it was asked for.
  BOOST_OUTCOME_CO_TRY(co_await run_command(
      call, services,
      RecordExport{request.project_id, request.format, request.include_attributes,
                   request.batch ? std::optional(request.batch->id) : std::nullopt}));
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, request.project_id.value)));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_settled(call, services, request.project_id));
  std::shared_ptr<ExportJob> job;
  BOOST_OUTCOME_CO_TRY(co_await ask_until_settled(call, services, [&]() -> Result<bool> {
    BOOST_OUTCOME_TRY(auto opened, services.open_export(request));
    job = std::move(opened);
    return job != nullptr;
  }));
  const auto positions = job->positions();
  co_return written(stream_job(call, services, std::move(job), std::move(place)), positions, false);
}

awaitable<HandlerResult> export_project(Call& call, Exporting& on) {
  co_return co_await export_tasks(call, on, std::nullopt);
}

awaitable<HandlerResult> export_batch(Call& call, Exporting& on) {
  BOOST_OUTCOME_CO_TRY(auto batch, co_await batch_of_path(call, on.services));
  call.audit().target_id = batch.id.value;
  co_return co_await export_tasks(call, on, ExportedBatch{batch.id, batch.display_id});
}

}  // namespace

http::RouteTable export_routes(Services& services) {
  const auto on = std::make_shared<Exporting>(services);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/export",
       .operation_id = "exportProject",
       .summary = "The project's annotations as COCO, VOC, YOLO or the platform's own JSON",
       .tag = "exports",
       .access = http::Access::needs(Action::export_project, http::Scope::project),
       .action = "project.export",
       .query = http::query_of<ExportQuery>(),
       .reply = http::replies_media({"application/json", "application/zip"},
                                    "coco and native_json: JSON; voc and yolo: a zip."),
       .handler = [on](Call& call) { return export_project(call, *on); }},
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/batches/{batch_id:text}/export",
       .operation_id = "exportBatch",
       .summary = "The same of one batch",
       .tag = "exports",
       .access = http::Access::needs(Action::export_project, http::Scope::project),
       .action = "batch.export",
       .target = "batch",
       .query = http::query_of<ExportQuery>(),
       .reply = http::replies_media({"application/json", "application/zip"},
                                    "coco and native_json: JSON; voc and yolo: a zip."),
       .handler = [on](Call& call) { return export_batch(call, *on); }},
  };
}

}  // namespace annolog::api
