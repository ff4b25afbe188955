// The only ways by which routes read a task, a dataset or an item: loaded, and seen to be visible
// to the caller, else 404 (never revealing that it exists).
#pragma once

#include "api/work.hpp"

namespace annolog::api {

// Of a thing of that project (`what`): not_found unless the caller may know of the project.
awaitable<Result<void>> must_see_project(Call& call, Services& services, ProjectId id,
                                         const char* what);
awaitable<Result<TaskView>> visible_task(Call& call, Services& services, TaskId id);
awaitable<Result<DatasetView>> visible_dataset(Call& call, Services& services, DatasetId id);
// Datasets are changed by their creator or a super_admin.
awaitable<Result<DatasetView>> own_dataset(Call& call, Services& services, DatasetId id);

}  // namespace annolog::api
