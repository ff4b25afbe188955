// Comments as rows: pages, deletions in the same batch and in a later one, a rebuild.
#include <gtest/gtest.h>

#include "projections/comments/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::comments_test {
namespace {

CommentAdded said(std::int64_t id, TaskId task, std::optional<AnnotationId> about = std::nullopt) {
  return {kProject,
          task,
          CommentId{id},
          about,
          UserId{7},
          "\u00C4 \"" + std::to_string(id) + "\"\n",
          {UserId{8}, UserId{9}}};
}

CommentDeleted unsaid(std::int64_t id, TaskId task) { return {kProject, task, CommentId{id}}; }

std::vector<std::int64_t> walk(const CommentQueries& comments, TaskId task,
                               std::optional<AnnotationId> about, std::int64_t limit) {
  std::vector<std::int64_t> seen;
  std::optional<CommentId> after;
  do {
    const auto page = comments.page(task, about, after, limit);
    EXPECT_LE(page.items.size(), static_cast<std::size_t>(limit));
    for (const auto& comment : page.items) seen.push_back(comment.id.value);
    after = page.next;
  } while (after);
  return seen;
}

class CommentRowsOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CommentRowsOf, ATaskAndItsAnnotationsOldestFirstWithoutTheDeleted) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(GetParam());
  const TaskId one{100}, two{101};
  const AnnotationId about{1000}, other{1001};
  world.append(kProjectShard,
               {project_created(), tasks_created(100, 2), boxes_added(one, 1000, 2)});
  world.append(kProjectShard, {said(1, one), said(2, one, about), said(3, two), said(4, one, other),
                               said(5, one, about), unsaid(4, one)});
  world.append(kProjectShard, {said(6, one), unsaid(1, one), said(7, one, about)},
               {8, kStartMs + 5});
  world.start();
  world.settle();
  world.append(kProjectShard, {unsaid(5, one), said(8, two)}, {8, kStartMs + 9});
  world.settle();

  const CommentQueries comments(*world.pool);
  for (const std::int64_t limit : {1, 2, 3, 50}) {
    EXPECT_EQ(walk(comments, one, std::nullopt, limit), (std::vector<std::int64_t>{2, 6, 7}));
    EXPECT_EQ(walk(comments, one, about, limit), (std::vector<std::int64_t>{2, 7}));
  }
  EXPECT_EQ(walk(comments, two, std::nullopt, 50), (std::vector<std::int64_t>{3, 8}));
  EXPECT_TRUE(walk(comments, two, about, 50).empty());
  EXPECT_TRUE(walk(comments, TaskId{999}, std::nullopt, 50).empty());

  const auto last = comments.page(one, about, CommentId{2}, 50).items.at(0);
  const CommentView expected{.id = CommentId{7},
                             .task_id = one,
                             .project_id = kProject,
                             .annotation_id = about,
                             .author_id = UserId{7},
                             .author = {UserId{7}, "", ""},
                             .body = "\u00C4 \"7\"\n",
                             .mentions = {UserId{8}, UserId{9}},
                             .created_at = {kStartMs + 5}};
  EXPECT_EQ(last, expected);

  world.stop();
  const std::string live = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, CommentRowsOf, ::testing::Values(1, 3, 5000));

}  // namespace
}  // namespace annolog::projections::testing::comments_test
