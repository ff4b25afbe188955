#include <algorithm>

#include "domain/comment/commands.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/length.hpp"

namespace annolog {
namespace {

Result<void> enter(const TaskCase& on, const Context& context) {
  if (on.task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  return on.project.require_work(Action::annotate, context);
}

bool works_in(const ProjectState& project, UserId user) {
  return project.owner_id == user || project.members.contains(user);
}

std::vector<UserId> members_among(const ProjectState& project, const std::vector<UserId>& users) {
  std::vector<UserId> members;
  for (const UserId user : users) {
    const bool is_new = std::find(members.begin(), members.end(), user) == members.end();
    if (is_new && works_in(project, user)) members.push_back(user);
  }
  return members;
}

void check_body(const std::string& body, std::vector<FieldError>& errors) {
  check_length(body, 1, kMaxCommentLength, "body", errors);
  if (!body.empty() && trimmed(body).empty()) {
    errors.push_back({{"body"}, "Must not be white space alone.", "blank"});
  }
}

}  // namespace

Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const AddComment& command, const Context& context, CommentId id) {
  BOOST_OUTCOME_TRY(enter(on, context));
  std::vector<FieldError> errors;
  check_body(command.body, errors);
  const bool is_there =
      annotation.version != 0 && !annotation.deleted_at && annotation.task_id == on.task.id;
  if (command.annotation_id && !is_there) {
    errors.push_back(
        {{"annotation_id"}, "No annotation of this task has this id.", "unknown_annotation"});
  }
  auto mentions = members_among(on.project, command.mentions);
  if (mentions.size() > kMaxMentions) {
    errors.push_back({{"body"}, "At most 50 people may be mentioned.", "too_many_items"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return Events{CommentAdded{.project_id = on.task.project_id,
                             .task_id = on.task.id,
                             .comment_id = id,
                             .annotation_id = command.annotation_id,
                             .author_id = context.actor,
                             .body = command.body,
                             .mentions = std::move(mentions)}};
}

Result<Events> decide(const TaskCase& on, const CommentState& comment, const DeleteComment&,
                      const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, context));
  if (!comment.id || comment.deleted_at || comment.task_id != on.task.id) {
    return not_found("comment");
  }
  const bool own = comment.author_id == context.actor;
  if (!own && !on.project.standing(context).may(Action::own)) {
    return forbidden(std::string("author of the comment, or owner"));
  }
  return Events{CommentDeleted{on.task.project_id, on.task.id, comment.id}};
}

}  // namespace annolog
