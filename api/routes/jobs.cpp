// Asynchronous jobs: what was asked for and is done beside requests.
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/jobs/queries.hpp"

namespace annolog::api {

struct JobQuery {
  std::optional<JobKind> kind;
  std::optional<JobStatus> status;
  std::optional<ProjectId> project_id;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(JobQuery, (), (kind, status, project_id, limit, cursor))

struct JobView {
  JobId id;
  JobKind kind = JobKind::audit_archive;
  std::optional<ProjectId> project_id;
  UserId user_id;
  JobStatus status = JobStatus::pending;
  std::int64_t progress_pct = 0;
  JsonText payload;
  JsonText result;
  std::optional<std::string> error_message;
  std::optional<std::string> celery_task_id;
  std::optional<std::string> download_url;
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> completed_at;
  Timestamp created_at;
  Timestamp updated_at;
};
BOOST_DESCRIBE_STRUCT(JobView, (),
                      (id, kind, project_id, user_id, status, progress_pct, payload, result,
                       error_message, celery_task_id, download_url, started_at, completed_at,
                       created_at, updated_at))

struct JobPage {
  std::vector<JobView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(JobPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::JobQuery> {
  static void apply(ObjectRules& rules) { api::limit_rule(rules); }
};
template <>
struct SchemaRules<api::JobView> {
  static constexpr std::string_view kName = "AsyncJob";
  static void apply(ObjectRules& rules) {
    rules.field("payload").describe("What is to be done; its members are the kind's.");
    rules.field("result").describe("null until it is completed.");
    rules.field("celery_task_id").describe("Which worker has or had it, and by which claim.");
    rules.field("download_url").describe("Signed, of a completed archive; of one job alone.");
    rules.field("completed_at").describe("When it ended, however.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

JobView view_of(JobState&& job) {
  JobView view{job.id,
               job.kind,
               job.project_id,
               job.user_id,
               job.status,
               job.progress_pct,
               std::move(job.payload),
               std::move(job.result),
               std::move(job.error_message),
               std::nullopt,
               std::nullopt,
               job.started_at,
               job.completed_at,
               job.created_at,
               job.updated_at};
  if (!job.worker.empty()) view.celery_task_id = std::move(job.worker);
  return view;
}

bool sees_all(const Call& call) { return may_globally(call.caller().role, Action::govern); }

awaitable<HandlerResult> list_jobs(Call& call, Services& services) {
  const auto& query = call.query<JobQuery>();
  BOOST_OUTCOME_CO_TRY(auto before, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  projections::JobFilter filter{.user_id = std::nullopt,
                                .kind = query.kind,
                                .status = query.status,
                                .project_id = query.project_id};
  if (!sees_all(call)) filter.user_id = call.caller().id;
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::JobQueries(services.reads)
                             .page(filter, before ? std::optional(JobId{*before}) : std::nullopt,
                                   query.limit);
                       }));
  std::vector<JobView> items;
  items.reserve(page.items.size());
  for (auto& job : page.items) items.push_back(view_of(std::move(job)));
  co_return http::reply_json_text(200, page_json(items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_job(Call& call, Services& services) {
  const auto id = call.id<JobId>("job_id");
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return projections::JobQueries(services.reads).find(id);
                       }));
  // Who may not see it is not told that there is one.
  if (!found || (found->user_id != call.caller().id && !sees_all(call))) co_return not_found("job");
  JobView view = view_of(std::move(*found));
  // Who asked for an archive may have been lowered since.
  const bool has_archive =
      view.kind == JobKind::audit_archive && view.status == JobStatus::completed && sees_all(call);
  if (has_archive) {
    const auto result = codec::parse_json(view.result.text);
    view.download_url = download_url(call, services, result.at("key").get<std::string>());
  }
  co_return http::reply(200, view).header("Cache-Control", "no-store");
}

awaitable<HandlerResult> cancel_job(Call& call, Services& services) {
  const CancelJob command{call.id<JobId>("job_id")};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::reply(200, view_of(std::move(done.get<JobState>()))), done);
}

}  // namespace

http::RouteTable job_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/async-jobs",
       .operation_id = "listAsyncJobs",
       .summary = "The caller's jobs, newest first; a super_admin's answer has everybody's",
       .tag = "jobs",
       .access = own,
       .query = http::query_of<JobQuery>(),
       .reply = http::replies<JobPage>(200),
       .handler = [&services](Call& call) { return list_jobs(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/async-jobs/{job_id}",
       .operation_id = "getAsyncJob",
       .summary = "One job of the caller's, or anybody's for a super_admin",
       .tag = "jobs",
       .access = own,
       .reply = http::replies<JobView>(200),
       .description = "Jobs are there for thirty days after their end.",
       .handler = [&services](Call& call) { return get_job(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/async-jobs/{job_id}/cancel",
       .operation_id = "cancelAsyncJob",
       .summary = "Cancels a job; what its worker still does comes to nothing",
       .tag = "jobs",
       .access = own,
       .action = "async_job.cancel",
       .target = "async_job",
       .reply = http::replies<JobView>(200),
       .description = "JOB_NOT_CANCELLABLE for kinds other than predictions_import and "
                      "audit_archive; JOB_FINAL for a job that has ended.",
       .handler = [&services](Call& call) { return cancel_job(call, services); }},
  };
}

}  // namespace annolog::api
