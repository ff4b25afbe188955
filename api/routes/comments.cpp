// Comments on a task and its annotations.
#include <boost/describe/class.hpp>

#include "api/mentions.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"
#include "projections/comments/queries.hpp"

namespace annolog::api {

struct AddCommentBody {
  std::string body;
  std::optional<AnnotationId> annotation_id;
};
BOOST_DESCRIBE_STRUCT(AddCommentBody, (), (body, annotation_id))

struct CommentPageQuery {
  std::optional<AnnotationId> annotation_id;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
  std::optional<std::string> as_of;  // refused
};
BOOST_DESCRIBE_STRUCT(CommentPageQuery, (), (annotation_id, limit, cursor, as_of))

struct CommentPage {
  std::vector<CommentView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(CommentPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::AddCommentBody> {
  static constexpr std::string_view kName = "AddComment";
  static void apply(ObjectRules& rules) {
    rules.field("body")
        .length(1, kMaxCommentLength)
        .describe("\"@\" and the username of a member mentions them.");
    rules.field("annotation_id").describe("A live annotation of the task.");
  }
};
template <>
struct SchemaRules<api::CommentPageQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("annotation_id").describe("Only those about this annotation.");
    api::limit_rule(rules);
    rules.field("as_of").describe("Not taken: comments are shown as they are.");
  }
  static void check(const api::CommentPageQuery& query, std::vector<FieldError>& errors) {
    api::refuse_moment(query.as_of, errors);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> add_comment(Call& call, Services& services) {
  const auto& body = call.body<AddCommentBody>();
  const auto task_id = call.id<TaskId>("task_id");
  BOOST_OUTCOME_CO_TRY(auto mentions,
                       co_await members_mentioned(call, services, task_id, body.body));
  AddComment command{task_id, body.body, body.annotation_id, std::move(mentions)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  auto& comment = done.get<CommentView>();
  complete(services, comment);
  co_return written(http::reply(201, comment), done);
}

awaitable<HandlerResult> comment_page(Call& call, Services& services) {
  const auto& query = call.query<CommentPageQuery>();
  const auto task_id = call.id<TaskId>("task_id");
  BOOST_OUTCOME_CO_TRY(auto start, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await visible_task(call, services, task_id));
  const auto after = start ? std::optional(CommentId{*start}) : std::nullopt;
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::CommentQueries(services.reads)
                             .page(task_id, query.annotation_id, after, query.limit);
                       }));
  for (auto& comment : page.items) complete(services, comment);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> delete_comment(Call& call, Services& services) {
  const DeleteComment command{call.id<TaskId>("task_id"), call.id<CommentId>("comment_id")};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

}  // namespace

http::RouteTable comment_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::get,
       .path = "/api/v1/tasks/{task_id}/comments",
       .operation_id = "listComments",
       .summary = "Comments of a task, oldest first",
       .tag = "comments",
       .access = Access::needs(Action::read_project, Scope::task),
       .query = http::query_of<CommentPageQuery>(),
       .reply = http::replies<CommentPage>(200),
       .handler = [&services](Call& call) { return comment_page(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/tasks/{task_id}/comments",
       .operation_id = "addComment",
       .summary = "Comments on a task or one of its annotations",
       .tag = "comments",
       .access = Access::needs(Action::annotate, Scope::task),
       .action = "comment.add",
       .target = "comment",
       .body = http::Body::json<AddCommentBody>(),
       .reply = http::replies<CommentView>(201),
       .handler = [&services](Call& call) { return add_comment(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/tasks/{task_id}/comments/{comment_id}",
       .operation_id = "deleteComment",
       .summary = "Deletes a comment; for its author and the project's owner",
       .tag = "comments",
       .access = Access::needs(Action::annotate, Scope::task),
       .action = "comment.delete",
       .target = "comment",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return delete_comment(call, services); }},
  };
}

}  // namespace annolog::api
