// Task locks.
#include "api/routes/tables.hpp"
#include "api/work.hpp"

namespace annolog::api {
namespace {

awaitable<HandlerResult> lock_task(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, LockTask{call.id<TaskId>("task_id")}));
  co_return written(http::reply(200, done.get<commands::LockGranted>()), done);
}

awaitable<HandlerResult> unlock_task(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, UnlockTask{call.id<TaskId>("task_id")}));
  co_return written(http::no_content(), done);
}

}  // namespace

http::RouteTable lock_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/lock",
       .operation_id = "lockTask",
       .summary = "Acquires or renews the caller's lock",
       .tag = "tasks",
       .access = Access::needs(Action::annotate, Scope::task),
       .action = "task.lock",
       .reply = http::replies<commands::LockGranted>(200),
       .handler = [&services](Call& call) { return lock_task(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/tasks/{task_id}/lock",
       .operation_id = "unlockTask",
       .summary = "Releases the lock; by its holder or the project's owner",
       .tag = "tasks",
       .access = Access::needs(Action::annotate, Scope::task),
       .action = "task.unlock",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return unlock_task(call, services); }},
  };
}

}  // namespace annolog::api
