// How a comment is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/comment/state.hpp"
#include "domain/user/view.hpp"

namespace annolog {

struct CommentView {
  CommentId id;
  TaskId task_id;
  ProjectId project_id;
  std::optional<AnnotationId> annotation_id;
  UserId author_id;
  UserBrief author;
  std::string body;
  std::vector<UserId> mentions;
  Timestamp created_at;
  bool operator==(const CommentView&) const = default;
};
BOOST_DESCRIBE_STRUCT(CommentView, (),
                      (id, task_id, project_id, annotation_id, author_id, author, body, mentions,
                       created_at))

// The author's names are left empty.
inline CommentView to_view(const CommentState& comment) {
  return {.id = comment.id,
          .task_id = comment.task_id,
          .project_id = comment.project_id,
          .annotation_id = comment.annotation_id,
          .author_id = comment.author_id,
          .author = {comment.author_id, {}, {}},
          .body = comment.body,
          .mentions = comment.mentions,
          .created_at = comment.created_at};
}

}  // namespace annolog
