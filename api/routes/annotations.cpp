// Annotations of a task.
#include <boost/describe/class.hpp>

#include "api/moments.hpp"
#include "api/pages.hpp"
#include "api/past_tasks.hpp"
#include "api/routes/tables.hpp"
#include "api/task_alone.hpp"
#include "api/views/shapes.hpp"
#include "api/visibility.hpp"
#include "projections/annotations/queries.hpp"

namespace annolog::api {

struct AddAnnotationsQuery {
  bool submit = true;
};
BOOST_DESCRIBE_STRUCT(AddAnnotationsQuery, (), (submit))

inline constexpr std::int64_t kAnnotationPageDefault = 200;
inline constexpr std::int64_t kAnnotationPageMax = 1000;

struct AnnotationPageQuery {
  std::int64_t limit = kAnnotationPageDefault;
  std::optional<std::string> cursor;
  std::optional<std::string> as_of;
};
BOOST_DESCRIBE_STRUCT(AnnotationPageQuery, (), (limit, cursor, as_of))

struct AnnotationPage {
  std::vector<AnnotationView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AnnotationPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::AddAnnotationsQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("submit").defaulted().describe("false: save without submitting.");
  }
};
template <>
struct SchemaRules<api::AnnotationPageQuery> {
  static void apply(ObjectRules& rules) {
    api::limit_rule(rules, api::kAnnotationPageMax);
    api::moment_rule(rules, "as_of", "The annotations that were live then.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> add_annotations(Call& call, Services& services) {
  const auto& body = call.body<AddAnnotationsBody>();
  BOOST_OUTCOME_CO_TRY(auto shapes, to_shapes(body));
  BOOST_OUTCOME_CO_TRY(call.ignore(std::move(shapes.ignored)));
  AddAnnotations command{call.id<TaskId>("task_id"), std::move(shapes.value),
                         call.query<AddAnnotationsQuery>().submit};
  const std::string text = call.idempotency_key() ? codec::to_json_text(body) : std::string();
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command), text));
  auto& added = done.get<commands::AnnotationsAdded>();
  complete_alone(call, services, added.task);
  co_return written(http::reply(201, added), done);
}

using AnnotationItems = projections::Page<AnnotationView, projections::TimeCursor>;

Result<AnnotationItems> annotations_at(const Services& services, const TaskView& task,
                                       const Moment& moment,
                                       std::optional<projections::TimeCursor> start,
                                       std::int64_t limit) {
  if (moment.is_now)
    return projections::AnnotationQueries(services.reads).page(task.id, start, limit);
  BOOST_OUTCOME_TRY(auto then, past_of(services, task, moment, {}));
  return live_annotations(then, start, limit);
}

awaitable<HandlerResult> annotation_page(Call& call, Services& services) {
  const auto task_id = call.id<TaskId>("task_id");
  const auto& query = call.query<AnnotationPageQuery>();
  BOOST_OUTCOME_CO_TRY(auto start, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(auto moment,
                       co_await moment_of(call, services, "as_of", query.as_of, task_id.value));
  BOOST_OUTCOME_CO_TRY(auto task, co_await visible_task(call, services, task_id));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return annotations_at(services, task, moment, start, query.limit);
                       }));
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> patch_annotation(Call& call, Services& services) {
  const auto& body = call.body<PatchAnnotationBody>();
  UpdateAnnotation command{.task_id = call.id<TaskId>("task_id"),
                           .annotation_id = call.id<AnnotationId>("annotation_id"),
                           .expected_version = call.if_match().versions(),
                           .class_name = body.class_name,
                           .geometry = std::nullopt,
                           .attributes = body.attributes,
                           .confidence = body.confidence,
                           .group_id = body.group_id};
  if (body.geometry) {
    BOOST_OUTCOME_CO_TRY(auto geometry, to_geometry(*body.geometry));
    BOOST_OUTCOME_CO_TRY(call.ignore(std::move(geometry.ignored)));
    command.geometry = std::move(geometry.value);
  }
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& view = done.get<AnnotationView>();
  co_return written(http::reply(200, view).version(view.version), done);
}

awaitable<HandlerResult> delete_annotation(Call& call, Services& services) {
  const DeleteAnnotation command{call.id<TaskId>("task_id"), call.id<AnnotationId>("annotation_id"),
                                 call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> restore_annotation(Call& call, Services& services) {
  const RestoreAnnotation command{call.id<TaskId>("task_id"),
                                  call.id<AnnotationId>("annotation_id"),
                                  call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  const auto& view = done.get<AnnotationView>();
  co_return written(http::reply(200, view).version(view.version), done);
}

}  // namespace

http::RouteTable annotation_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto write = Access::needs(Action::annotate, Scope::task);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/annotations",
       .operation_id = "addAnnotations",
       .summary = "Adds shapes and submits the task",
       .tag = "annotations",
       .access = write,
       .action = "annotation.create",
       .query = http::query_of<AddAnnotationsQuery>(),
       .body = http::Body::json<AddAnnotationsBody>(),
       .reply = http::replies<commands::AnnotationsAdded>(201),
       .handler = [&services](Call& call) { return add_annotations(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}/annotations/page",
       .operation_id = "pageAnnotations",
       .summary = "Live annotations, newest first, as they are or as they were",
       .tag = "annotations",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<AnnotationPageQuery>(),
       .reply = http::replies<AnnotationPage>(200),
       .handler = [&services](Call& call) { return annotation_page(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/tasks/{task_id}/annotations/{annotation_id}",
       .operation_id = "updateAnnotation",
       .summary = "Changes a shape",
       .tag = "annotations",
       .access = write,
       .action = "annotation.update",
       .target = "annotation",
       .body = http::Body::json<PatchAnnotationBody>(),
       .reply = http::replies<AnnotationView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return patch_annotation(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/tasks/{task_id}/annotations/{annotation_id}",
       .operation_id = "deleteAnnotation",
       .summary = "Deletes a shape softly",
       .tag = "annotations",
       .access = write,
       .action = "annotation.delete",
       .target = "annotation",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = [&services](Call& call) { return delete_annotation(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/annotations/{annotation_id}/restore",
       .operation_id = "restoreAnnotation",
       .summary = "Undoes the deletion of a shape",
       .tag = "annotations",
       .access = write,
       .action = "annotation.restore",
       .target = "annotation",
       .reply = http::replies<AnnotationView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return restore_annotation(call, services); }},
  };
}

}  // namespace annolog::api
