// Wishes about comments, and what may come of them (decisions, section 5).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/comment/state.hpp"
#include "domain/task/commands.hpp"

namespace annolog {

inline constexpr std::size_t kMaxCommentLength = 5000;
inline constexpr std::size_t kMaxMentions = 50;

struct AddComment {
  TaskId task_id;
  std::string body;
  std::optional<AnnotationId> annotation_id;
  std::vector<UserId> mentions;  // whom the edge found named; others than members are dropped
};
BOOST_DESCRIBE_STRUCT(AddComment, (), (task_id, body, annotation_id, mentions))

struct DeleteComment {
  TaskId task_id;
  CommentId comment_id;
};
BOOST_DESCRIBE_STRUCT(DeleteComment, (), (task_id, comment_id))

// `annotation` is the one that the command names, an empty one when it names none; `id` is the
// comment's.
Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const AddComment& command, const Context& context, CommentId id);
Result<Events> decide(const TaskCase& on, const CommentState& comment, const DeleteComment& command,
                      const Context& context);

}  // namespace annolog
