// Sums of work by day, and who and what the directory counts.
#include "api/views/statistics.hpp"

#include <gtest/gtest.h>

namespace annolog::api::statistics_test {
namespace {

using projections::Day;
using projections::kDayMs;
using projections::WorkCounts;

TEST(RecentWork, is_of_today_and_the_six_days_before) {
  const Timestamp now{100 * kDayMs + 5};
  EXPECT_EQ(first_day(now), Day{94});
  const std::map<Day, WorkCounts> days{{Day{93}, {1, 1, 1}},
                                       {Day{94}, {2, 0, 0}},
                                       {Day{100}, {4, 5, 0}},
                                       {Day{101}, {8, 8, 8}}};  // of a clock that is ahead
  const RecentWork work = work_of_days(days, now);
  EXPECT_EQ(work.submitted.today, 4);
  EXPECT_EQ(work.submitted.last_7_days, 6);
  EXPECT_EQ(work.approved.today, 5);
  EXPECT_EQ(work.approved.last_7_days, 5);
  EXPECT_EQ(work.rejected.last_7_days, 0);
}

TEST(TasksByStatus, names_every_status) {
  const TasksByStatus tasks(projections::TaskCounts{1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(tasks.pending, 1);
  EXPECT_EQ(tasks.assigned, 2);
  EXPECT_EQ(tasks.in_progress, 3);
  EXPECT_EQ(tasks.submitted, 4);
  EXPECT_EQ(tasks.review, 5);
  EXPECT_EQ(tasks.rejected, 6);
  EXPECT_EQ(tasks.completed, 7);
  EXPECT_EQ(tasks.total(), 28);
}

KnownUser user(std::int64_t id, Role role, bool active = true) {
  return {{UserId{id}, "name", "user"}, role, active, 0, "key"};
}

class CountingDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    directory.put(user(1, Role::super_admin));
    directory.put(user(2, Role::project_admin));
    directory.put(user(3, Role::annotator));
    directory.put(user(4, Role::annotator, false));
    directory.put(user(5, Role::reviewer));
    directory.put(ProjectId{10},
                  {UserId{2}, ProjectStatus::in_progress, {{UserId{3}, Role::annotator}}});
    directory.put(ProjectId{11}, {UserId{2},
                                  ProjectStatus::archived,
                                  {{UserId{3}, Role::annotator}, {UserId{5}, Role::reviewer}}});
    directory.put(ProjectId{12}, {UserId{1},
                                  ProjectStatus::completed,
                                  {{UserId{2}, Role::reviewer}, {UserId{4}, Role::viewer}}});
  }
  Directory directory;
};

using Ids = std::vector<ProjectId>;

TEST_F(CountingDirectory, knows_in_which_projects_a_user_has_a_role) {
  const auto as = [&](std::int64_t id, Role global, Role least, Archived archived) {
    return directory.projects_as(UserId{id}, global, least, archived);
  };
  EXPECT_EQ(as(2, Role::project_admin, Role::project_admin, Archived::with),
            (Ids{ProjectId{10}, ProjectId{11}}));
  EXPECT_EQ(as(2, Role::project_admin, Role::reviewer, Archived::without),
            (Ids{ProjectId{10}, ProjectId{12}}));
  EXPECT_EQ(as(3, Role::annotator, Role::annotator, Archived::with), (Ids{ProjectId{10}}))
      << "archived ones are not for annotators";
  EXPECT_EQ(as(5, Role::reviewer, Role::annotator, Archived::with), (Ids{ProjectId{11}}));
  EXPECT_EQ(as(1, Role::super_admin, Role::project_admin, Archived::with).size(), 3U);
  EXPECT_EQ(directory.visible_projects(UserId{2}, Role::project_admin).size(), 3U);
}

TEST_F(CountingDirectory, counts_projects_and_people) {
  const Ids all{ProjectId{10}, ProjectId{11}, ProjectId{12}, ProjectId{99}};
  const ProjectCounts projects(directory.count(all));
  EXPECT_EQ(projects.in_progress, 1);
  EXPECT_EQ(projects.completed, 1);
  EXPECT_EQ(projects.archived, 1);
  EXPECT_EQ(projects.total(), 3);

  const UsersByRole everybody(directory.count_people());
  EXPECT_EQ(everybody.annotator.active, 1);
  EXPECT_EQ(everybody.annotator.inactive, 1);
  EXPECT_EQ(everybody.super_admin.active, 1);

  const Ids two{ProjectId{10}, ProjectId{11}};
  const UsersByRole people(directory.count_people(two));
  EXPECT_EQ(people.project_admin.active, 1) << "the owner of both, once";
  EXPECT_EQ(people.annotator.active, 1);
  EXPECT_EQ(people.annotator.inactive, 0);
  EXPECT_EQ(people.reviewer.active, 1);
  EXPECT_EQ(people.super_admin.active, 0);

  UserErased erased;
  erased.user_id = UserId{3};
  directory.apply(erased);
  EXPECT_EQ(UsersByRole(directory.count_people()).annotator.inactive, 1);
  EXPECT_EQ(UsersByRole(directory.count_people()).annotator.active, 0);
}

}  // namespace
}  // namespace annolog::api::statistics_test
