#include "domain/task/actors.hpp"

namespace annolog {
namespace {

// A change of its batch's annotator may have left begun work to nobody. Who holds it then is as
// its assignee.
bool is_assignee(const TaskCase& on, const Context& context) {
  if (on.task.assignee_id) return on.task.assignee_id == context.actor;
  return holds_lock(on, context);
}

}  // namespace

bool holds_lock(const TaskCase& on, const Context& context) {
  const auto* lock = on.task.live_lock(context.now);
  return lock != nullptr && lock->user_id == context.actor;
}

bool may(const TaskCase& on, TaskActor who, const Context& context) {
  const auto standing = on.project.standing(context);
  if (includes(who, TaskActor::annotator) && standing.may(Action::annotate)) return true;
  if (includes(who, TaskActor::reviewer) && standing.may(Action::review)) return true;
  if (includes(who, TaskActor::owner) && standing.may(Action::own)) return true;
  if (!standing.may(Action::annotate)) return false;
  return (includes(who, TaskActor::assignee) && is_assignee(on, context)) ||
         (includes(who, TaskActor::holder) && holds_lock(on, context));
}

}  // namespace annolog
