#include "domain/task/transitions.hpp"

#include <boost/describe/enum_to_string.hpp>

#include "domain/identity/refusals.hpp"

namespace annolog {

const char* to_string(TaskStatus status) {
  return boost::describe::enum_to_string(status, "unknown");
}

const char* to_string(TaskTrigger trigger) {
  return boost::describe::enum_to_string(trigger, "unknown");
}

DomainError impossible(TaskStatus from, TaskTrigger trigger) {
  std::vector<std::string> allowed;
  std::optional<TaskStatus> to;
  for (const auto& row : kTaskTransitions) {
    if (row.trigger != trigger) continue;
    allowed.emplace_back(to_string(row.from));
    to = row.to;
  }
  return conflict("INVALID_TRANSITION",
                  std::string("A task that is ") + to_string(from) + " can't take the step " +
                      to_string(trigger) + ".",
                  {{"from", std::string(to_string(from))},
                   {"to", std::string(to ? to_string(*to) : "")},
                   {"allowed", std::move(allowed)}});
}

}  // namespace annolog
