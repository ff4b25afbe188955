#include "domain/comment/state.hpp"

namespace annolog {

CommentState born(const CommentAdded& event, const Happened& how) {
  return {.id = event.comment_id,
          .task_id = event.task_id,
          .project_id = event.project_id,
          .annotation_id = event.annotation_id,
          .author_id = event.author_id,
          .body = event.body,
          .mentions = event.mentions,
          .created_at = how.at,
          .deleted_at = std::nullopt};
}

void evolve(CommentState& state, const CommentDeleted&, const Happened& how) {
  state.deleted_at = how.at;
}

}  // namespace annolog
