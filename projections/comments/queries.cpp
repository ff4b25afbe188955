#include "projections/comments/queries.hpp"

#include "domain/codec/domain_json.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define COMMENT_COLUMNS \
  "id, task_id, project_id, annotation_id, author_id, body, mentions, created_at_ms"

constexpr Statement kOfTask{"comments_of_task",
                            "SELECT " COMMENT_COLUMNS
                            " FROM comments WHERE task_id = $1::bigint AND deleted_at_ms IS NULL "
                            "AND id > $2::bigint ORDER BY id LIMIT $3::bigint"};
constexpr Statement kOfAnnotation{
    "comments_of_annotation",
    "SELECT " COMMENT_COLUMNS
    " FROM comments WHERE task_id = $1::bigint AND deleted_at_ms IS NULL "
    "AND id > $2::bigint AND annotation_id = $4::bigint ORDER BY id LIMIT $3::bigint"};

CommentView read_comment(RowReader& row) {
  CommentView comment;
  comment.id = row.id<CommentId>();
  comment.task_id = row.id<TaskId>();
  comment.project_id = row.id<ProjectId>();
  comment.annotation_id = row.optional_id<AnnotationId>();
  comment.author_id = row.id<UserId>();
  comment.author.id = comment.author_id;
  comment.body = row.text();
  comment.mentions = codec::from_json_text<std::vector<UserId>>(row.view());
  comment.created_at = row.time();
  return comment;
}

}  // namespace

Page<CommentView, CommentId> CommentQueries::page(TaskId task, std::optional<AnnotationId> about,
                                                  std::optional<CommentId> after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(task.value).add(after.value_or(CommentId{}).value).add(limit + 1);
  if (about) params.add(about->value);
  return make_page(fetch_all(*pool_, about ? kOfAnnotation : kOfTask, params, read_comment), limit,
                   [](const CommentView& last) { return last.id; });
}

std::vector<Statement> comment_statements() { return {kOfTask, kOfAnnotation}; }

}  // namespace annolog::projections
