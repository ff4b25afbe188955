// A task that is shown alone, not in a list: it says where its file is, too.
#pragma once

#include "api/work.hpp"

namespace annolog::api {

inline void complete_alone(const Call& call, const Services& services, TaskView& task) {
  complete(services, task);
  task.file_url = download_url(call, services, task.file_path);
}

}  // namespace annolog::api
