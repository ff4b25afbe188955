#include "api/realtime/rights.hpp"

#include <boost/asio/this_coro.hpp>

#include "api/await_callback.hpp"
#include "api/http/blocking.hpp"
#include "api/read_refusals.hpp"
#include "commands/command.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/jobs/queries.hpp"

namespace annolog::api::realtime {

awaitable<Result<ProjectId>> DirectoryRights::admit(const http::Caller& caller,
                                                    const Channel& channel) {
  const ChannelRule& rule = rule_of(channel);
  if (rule.audience != Audience::readers) {
    if (allows(caller, channel, {})) co_return ProjectId{};
    co_return forbidden(
        std::string(rule.audience == Audience::oneself ? "user itself" : "super_admin"));
  }
  BOOST_OUTCOME_CO_TRY(auto project, co_await project_of(channel));
  const auto shard = commands::shard_of(channel.id, parts_.shards);
  if (!project) {
    BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(shard));
    BOOST_OUTCOME_CO_TRY(project, co_await project_of(channel));
  }
  if (!project) co_return not_found("channel");
  if (parts_.barrier.is_stale(shard)) co_return read_model_behind();
  if (allows(caller, channel, *project)) co_return *project;
  BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(shard));
  if (allows(caller, channel, *project)) co_return *project;
  co_return not_found("channel");
}

bool DirectoryRights::allows(const http::Caller& caller, const Channel& channel,
                             ProjectId project) const {
  switch (rule_of(channel).audience) {
    case Audience::readers: return parts_.directory.sees(caller.id, caller.role, project);
    case Audience::super_admins: return caller.role == Role::super_admin;
    case Audience::oneself: break;
  }
  return caller.id.value == channel.id;
}

awaitable<Result<std::optional<ProjectId>>> DirectoryRights::project_of(const Channel& channel) {
  if (channel.kind == Channel::Kind::task_lock)
    co_return co_await project_of_task(TaskId{channel.id});
  if (channel.kind == Channel::Kind::tracker_job)
    co_return co_await project_of_tracker_job(JobId{channel.id});
  co_return std::optional(ProjectId{channel.id});
}

awaitable<Result<std::optional<ProjectId>>> DirectoryRights::project_of_task(TaskId id) {
  using Loaded = Result<std::optional<TaskView>>;
  const auto executor = co_await boost::asio::this_coro::executor;
  BOOST_OUTCOME_CO_TRY(const auto task, co_await await_callback<Loaded>(
                                            executor, [&](std::function<void(Loaded)> done) {
                                              parts_.tasks.load(id, std::move(done));
                                            }));
  if (!task) co_return std::nullopt;
  co_return std::optional(task->project_id);
}

awaitable<Result<std::optional<ProjectId>>> DirectoryRights::project_of_tracker_job(JobId id) {
  using Found = Result<std::optional<ProjectId>>;
  co_return co_await http::blocking(parts_.read_threads, [&]() -> Found {
    try {
      const auto job = projections::JobQueries(parts_.reads).find(id);
      if (!job || job->kind != JobKind::video_tracker) return std::optional<ProjectId>();
      return job->project_id;
    } catch (const std::exception&) {
      return reads_away();
    }
  });
}

}  // namespace annolog::api::realtime
