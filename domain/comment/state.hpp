// What decisions about a comment need, and its fold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/comment/events.hpp"
#include "domain/identity/context.hpp"

namespace annolog {

struct CommentState {
  CommentId id;  // 0: does not exist
  TaskId task_id;
  ProjectId project_id;
  std::optional<AnnotationId> annotation_id;
  UserId author_id;
  std::string body;
  std::vector<UserId> mentions;
  Timestamp created_at;
  std::optional<Timestamp> deleted_at;
  bool operator==(const CommentState&) const = default;
};
BOOST_DESCRIBE_STRUCT(CommentState, (),
                      (id, task_id, project_id, annotation_id, author_id, body, mentions,
                       created_at, deleted_at))

CommentState born(const CommentAdded& event, const Happened& how);
void evolve(CommentState& state, const CommentDeleted& event, const Happened& how);

}  // namespace annolog
