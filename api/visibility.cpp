#include "api/visibility.hpp"

#include <set>

#include "api/await_callback.hpp"
#include "api/find_twice.hpp"
#include "api/read_refusals.hpp"
#include "api/settled_reads.hpp"
#include "api/task_loader.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/datasets/queries.hpp"
#include "projections/projects/queries.hpp"

namespace annolog::api {
namespace {

awaitable<Result<std::optional<TaskView>>> load(Call& call, Services& services, TaskId id) {
  using Loaded = Result<std::optional<TaskView>>;
  co_return co_await await_callback<Loaded>(call.executor(), [&](std::function<void(Loaded)> done) {
    services.tasks.load(id, std::move(done));
  });
}

// A dataset is seen by the members of the projects that it is linked to, too: what made the caller
// one lies in theirs.
awaitable<Result<void>> look_at_its_projects(Services& services, DatasetId id) {
  BOOST_OUTCOME_CO_TRY(auto projects, co_await read(services, [&] {
                         return projections::DatasetQueries(services.reads).projects_of(id);
                       }));
  std::set<commands::ShardId> shards;
  for (const ProjectId project : projects)
    shards.insert(commands::shard_of(project.value, services.bus.shard_count()));
  for (const auto shard : shards) {
    BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(shard));
  }
  co_return success();
}

awaitable<Result<std::optional<DatasetView>>> find_dataset(const Call& call, Services& services,
                                                           DatasetId id) {
  const auto seen = seen_projects(call, services);
  co_return co_await read(services, [&]() -> Result<std::optional<DatasetView>> {
    const projections::DatasetQueries queries(services.reads);
    auto dataset = queries.find(id);
    if (dataset && !queries.visible(id, call.caller().id, seen)) dataset.reset();
    return dataset;
  });
}

}  // namespace

projections::SeenProjects seen_projects(const Call& call, const Services& services) {
  const auto& caller = call.caller();
  if (caller.role == Role::super_admin) return {.all = true, .ids = {}};
  return {.all = false, .ids = services.directory.visible_projects(caller.id, caller.role)};
}

awaitable<Result<void>> must_see_project(Call& call, Services& services, ProjectId id,
                                         const char* what) {
  const auto shard = commands::shard_of(id.value, services.bus.shard_count());
  if (services.barrier.is_stale(shard)) co_return read_model_behind();
  const auto& caller = call.caller();
  if (services.directory.sees(caller.id, caller.role, id)) co_return success();
  BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(shard));
  if (services.directory.sees(caller.id, caller.role, id)) co_return success();
  co_return not_found(what);
}

awaitable<Result<TaskView>> visible_task(Call& call, Services& services, TaskId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  const bool was_settled = is_settled(services, id.value);
  const auto find = [&] { return load(call, services, id); };
  BOOST_OUTCOME_CO_TRY(auto task, co_await find_twice(services, id.value, find));
  if (!task) co_return not_found("task");
  BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, task->project_id, "task"));
  if (was_settled || !task->batch_id) co_return std::move(*task);
  BOOST_OUTCOME_CO_TRY(co_await wait_until_settled(call, services, *task->batch_id));
  BOOST_OUTCOME_CO_TRY(task, co_await find());
  if (!task) co_return not_found("task");
  co_return std::move(*task);
}

awaitable<Result<DatasetView>> visible_dataset(Call& call, Services& services, DatasetId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  const auto find = [&] { return find_dataset(call, services, id); };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, id.value, find));
  if (!found) {
    BOOST_OUTCOME_CO_TRY(co_await look_at_its_projects(services, id));
    BOOST_OUTCOME_CO_TRY(found, co_await find());
  }
  if (!found) co_return not_found("dataset");
  co_return std::move(*found);
}

awaitable<Result<ItemView>> item_of(Services& services, DatasetId dataset, ItemId id) {
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<ItemView>> {
      auto item = projections::DatasetQueries(services.reads).find_item(id);
      if (item && item->dataset_id != dataset) item.reset();
      return item;
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, dataset.value, find));
  if (!found) co_return not_found("item");
  co_return std::move(*found);
}

awaitable<Result<ProjectView>> project_of_id(Call& call, Services& services, ProjectId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<ProjectView>> {
      return projections::ProjectQueries(services.reads).find(id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, id.value, find));
  if (!found) co_return not_found("project");
  co_return std::move(*found);
}

awaitable<Result<DatasetView>> own_dataset(Call& call, Services& services, DatasetId id) {
  BOOST_OUTCOME_CO_TRY(auto dataset, co_await visible_dataset(call, services, id));
  const auto& caller = call.caller();
  if (dataset.creator_id != caller.id && caller.role != Role::super_admin) {
    co_return forbidden(std::string("creator of the dataset, or super_admin"));
  }
  co_return std::move(dataset);
}

}  // namespace annolog::api
