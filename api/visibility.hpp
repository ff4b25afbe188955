// The only ways by which routes read one task, dataset, item or project: loaded, and seen to be
// visible to the caller, else 404 (never revealing that it exists), which is never said by an old
// view (docs/kafka.md, "Reads").
#pragma once

#include "api/work.hpp"
#include "projections/queries/seen_projects.hpp"

namespace annolog::api {

// For lists: all that the caller may see, as the directory has it now.
projections::SeenProjects seen_projects(const Call& call, const Services& services);
// Of a thing of that project (`what`): not_found unless the caller may know of the project.
awaitable<Result<void>> must_see_project(Call& call, Services& services, ProjectId id,
                                         const char* what);
awaitable<Result<TaskView>> visible_task(Call& call, Services& services, TaskId id);
awaitable<Result<DatasetView>> visible_dataset(Call& call, Services& services, DatasetId id);
// Datasets are changed by their creator or a super_admin.
awaitable<Result<DatasetView>> own_dataset(Call& call, Services& services, DatasetId id);
// Of a project, or a dataset, that the caller was seen to see.
awaitable<Result<ProjectView>> project_of_id(Call& call, Services& services, ProjectId id);
awaitable<Result<ItemView>> item_of(Services& services, DatasetId dataset, ItemId id);

}  // namespace annolog::api
