// Comments on tasks.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {

Result<Handled> handle(const Handling& on, const AddComment& command) {
  TaskState task = on.state.task(command.task_id);
  const auto project = on.state.project(task.project_id);
  AnnotationState annotation;
  if (command.annotation_id) {
    annotation = on.state.annotation(command.task_id, *command.annotation_id);
  }
  const CommentId id{on.state.id_of(on.state.counter("comment") + 1)};
  const TaskCase about{*project, std::move(task)};
  BOOST_OUTCOME_TRY(auto events, decide(about, annotation, command, on.context, id));
  return Handled{std::move(events), {ReplyKind::comment, {command.task_id.value, id.value}, {}}};
}

Result<Handled> handle(const Handling& on, const DeleteComment& command) {
  TaskState task = on.state.task(command.task_id);
  const auto project = on.state.project(task.project_id);
  const CommentState comment = on.state.comment(command.task_id, command.comment_id);
  const TaskCase about{*project, std::move(task)};
  BOOST_OUTCOME_TRY(auto events, decide(about, comment, command, on.context));
  return Handled{std::move(events), {}};
}

}  // namespace annolog::commands
