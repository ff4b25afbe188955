// Who may take a step of a task: the table's words (transitions.hpp) about this task and caller.
#pragma once

#include "domain/task/commands.hpp"
#include "domain/task/transitions.hpp"

namespace annolog {

bool holds_lock(const TaskCase& on, const Context& context);
bool may(const TaskCase& on, TaskActor who, const Context& context);

}  // namespace annolog
