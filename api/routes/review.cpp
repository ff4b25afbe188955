// Review: approve, reject, and the ways back to work.
#include <boost/describe/class.hpp>

#include "api/routes/tables.hpp"
#include "api/task_alone.hpp"
#include "api/views/schema_rules.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct RejectTaskBody {
  RejectReason reason_type = RejectReason::missing;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(RejectTaskBody, (), (reason_type, reason))

struct SkipTaskBody {
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(SkipTaskBody, (), (reason))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::RejectTaskBody> {
  static constexpr std::string_view kName = "RejectTask";
  static void apply(ObjectRules& rules) {
    rules.field("reason").length(0, 2000).describe("Shown to the annotator.");
  }
};

template <>
struct SchemaRules<api::SkipTaskBody> {
  static constexpr std::string_view kName = "SkipTask";
  static void apply(ObjectRules& rules) { rules.field("reason").length(0, 2000); }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> step(Call& call, Services& services, commands::Command command,
                              std::string body_text = {}) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, std::move(command), std::move(body_text)));
  auto& task = done.get<TaskView>();
  complete_alone(call, services, task);
  co_return written(http::reply(200, task).version(task.version), done);
}

awaitable<HandlerResult> reject(Call& call, Services& services) {
  const auto& body = call.body<RejectTaskBody>();
  call.audit().detail.reason = body.reason;
  co_return co_await step(call, services,
                          RejectTask{call.id<TaskId>("task_id"), body.reason_type, body.reason},
                          codec::to_json_text(body));
}

awaitable<HandlerResult> skip(Call& call, Services& services) {
  const auto& body = call.body<SkipTaskBody>();
  call.audit().detail.reason = body.reason;
  co_return co_await step(call, services, SkipTask{call.id<TaskId>("task_id"), body.reason},
                          codec::to_json_text(body));
}

template <class C>
http::Handler stepper(Services& services) {
  return [&services](Call& call) { return step(call, services, C{call.id<TaskId>("task_id")}); };
}

}  // namespace

http::RouteTable review_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto review = Access::needs(Action::review, Scope::task);
  const auto annotate = Access::needs(Action::annotate, Scope::task);
  const auto task = http::replies<TaskView>(200);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/review/approve",
       .operation_id = "approveTask",
       .summary = "Approves a submitted task; it is completed",
       .tag = "review",
       .access = review,
       .action = "task.approve",
       .reply = task,
       .handler = stepper<ApproveTask>(services)},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/review/reject",
       .operation_id = "rejectTask",
       .summary = "Rejects a submitted task, with a reason",
       .tag = "review",
       .access = review,
       .action = "task.reject",
       .body = http::Body::json<RejectTaskBody>(),
       .reply = task,
       .handler = [&services](Call& call) { return reject(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/accept-rejection",
       .operation_id = "acceptRejection",
       .summary = "The assignee takes a rejected task up again",
       .tag = "review",
       .access = annotate,
       .action = "task.accept_rejection",
       .reply = task,
       .handler = stepper<AcceptRejection>(services)},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/reopen",
       .operation_id = "reopenTask",
       .summary = "Reopens a completed task",
       .tag = "review",
       .access = annotate,
       .action = "task.reopen",
       .reply = task,
       .handler = stepper<ReopenTask>(services)},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/submit-for-review",
       .operation_id = "submitForReview",
       .summary = "Sends a task to review where review is not required",
       .tag = "review",
       .access = annotate,
       .action = "task.submit_for_review",
       .reply = task,
       .handler = stepper<SubmitForReview>(services)},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/skip",
       .operation_id = "skipTask",
       .summary = "Gives a task back without work; it is offered again after all others",
       .tag = "tasks",
       .access = annotate,
       .action = "task.skip",
       .body = http::Body::optional_json<SkipTaskBody>(),
       .reply = task,
       .handler = [&services](Call& call) { return skip(call, services); }},
  };
}

}  // namespace annolog::api
