// Facts about comments on tasks; they live in the project's shard.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"

namespace annolog {

struct CommentAdded {
  static constexpr std::string_view kType = "comment.added";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  CommentId comment_id;
  std::optional<AnnotationId> annotation_id;  // what it is about, else the task as a whole
  UserId author_id;
  std::string body;
  std::vector<UserId> mentions;  // members that the body names, each once, in its order
  bool operator==(const CommentAdded&) const = default;
};
BOOST_DESCRIBE_STRUCT(CommentAdded, (),
                      (project_id, task_id, comment_id, annotation_id, author_id, body, mentions))

struct CommentDeleted {
  static constexpr std::string_view kType = "comment.deleted";
  static constexpr int kVersion = 1;
  ProjectId project_id;
  TaskId task_id;
  CommentId comment_id;
  bool operator==(const CommentDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(CommentDeleted, (), (project_id, task_id, comment_id))

}  // namespace annolog
