// The words by which clients name statuses of tasks in a filter: the stored ones and the
// lifecycle's (decisions, section 5). Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "domain/task/state.hpp"

namespace annolog::api {

// All that are known, for a schema's one_of().
std::vector<std::string> status_words();

// Each once, however often it is named. Unknown words are passed over: the schema has refused them.
std::vector<TaskStatus> statuses_of(const std::vector<std::string>& words);

}  // namespace annolog::api
