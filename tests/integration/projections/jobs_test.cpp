// Asynchronous jobs as rows: pages, filters, free ones, a rebuild.
#include <gtest/gtest.h>

#include "projections/jobs/queries.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::jobs_test {
namespace {

constexpr std::uint16_t kDirectory = 0;

JobQueued queued(std::int64_t id, JobKind kind = JobKind::audit_archive,
                 std::optional<ProjectId> project = std::nullopt) {
  return {JobId{id}, kind, project, {R"({"before":"2026-01-01T00:00:00.000Z"})"}};
}

std::vector<std::int64_t> ids(const std::vector<JobState>& jobs) {
  std::vector<std::int64_t> found;
  for (const JobState& job : jobs) found.push_back(job.id.value);
  return found;
}

TEST(JobRows, AreShownAsTheirEventsLeftThem) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  const JobId id{64};
  const std::vector<Event> events{queued(64), JobClaimed{id, 1, "node.1", {kStartMs + 30'000}},
                                  JobAdvanced{id, 1, 40, {kStartMs + 60'000}},
                                  JobCompleted{id, {R"({"rows":3})"}}};
  JobState expected;
  for (const Event& event : events) {
    world.append(kDirectory, {event});
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { evolve(expected, e, Happened{}); })
            evolve(expected, e, {UserId{7}, {kStartMs}});
        },
        event);
  }
  world.append(kDirectory, {queued(128), JobFailed{JobId{128}, "no \"room\""}});
  world.append(kDirectory, {queued(192), JobCancelled{JobId{192}}, JobPurged{JobId{192}}});
  world.start();
  world.settle();

  const JobQueries jobs(*world.pool);
  EXPECT_EQ(jobs.find(id), expected);
  const auto failed = jobs.find(JobId{128});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error_message, "no \"room\"");
  EXPECT_EQ(failed->status, JobStatus::failed);
  EXPECT_FALSE(jobs.find(JobId{192})) << "it is purged";

  world.stop();
  const std::string live = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

TEST(JobRows, ArePagedAndFilteredNewestFirst) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  const ProjectId project{5};
  world.append(kDirectory, {queued(4), queued(8)}, {.actor = 7});
  world.append(kDirectory, {queued(12)}, {.actor = 8});
  world.append(1, {queued(13, JobKind::video_tracker, project)}, {.actor = 7});
  world.append(kDirectory, {JobCancelled{JobId{8}}});
  world.start();
  world.settle();

  const JobQueries jobs(*world.pool);
  const auto page = jobs.page({}, std::nullopt, 3);
  EXPECT_EQ(ids(page.items), (std::vector<std::int64_t>{13, 12, 8}));
  ASSERT_TRUE(page.next);
  EXPECT_EQ(ids(jobs.page({}, page.next, 3).items), (std::vector<std::int64_t>{4}));
  const auto filtered = [&](const JobFilter& filter) {
    return ids(jobs.page(filter, std::nullopt, 50).items);
  };
  JobFilter own;
  own.user_id = UserId{7};
  EXPECT_EQ(filtered(own), (std::vector<std::int64_t>{13, 8, 4}));
  own.kind = JobKind::audit_archive;
  own.status = JobStatus::pending;
  EXPECT_EQ(filtered(own), (std::vector<std::int64_t>{4}));
  JobFilter of_project;
  of_project.project_id = project;
  EXPECT_EQ(filtered(of_project), (std::vector<std::int64_t>{13}));
}

TEST(JobRows, ThoseThatNobodyHasAreFoundOldestFirst) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  const Timestamp until{kStartMs + 30'000};
  world.append(kDirectory, {queued(4), JobClaimed{JobId{4}, 1, "a", until}, queued(8), queued(12),
                            JobCancelled{JobId{12}}, queued(16, JobKind::predictions_import)});
  world.start();
  world.settle();

  const JobQueries jobs(*world.pool);
  const auto free = [&](std::int64_t at_ms) {
    return jobs.free_ones(JobKind::audit_archive, {at_ms}, 10);
  };
  EXPECT_EQ(free(until.ms - 1), std::vector<JobId>{JobId{8}});
  EXPECT_EQ(free(until.ms), (std::vector<JobId>{JobId{4}, JobId{8}}));
}

}  // namespace
}  // namespace annolog::projections::testing::jobs_test
