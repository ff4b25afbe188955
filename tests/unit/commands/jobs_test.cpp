// Asynchronous jobs in their shard: queued, claimed, ended, purged; and the process that purges.
#include "commands/process_managers/job_cleaner.hpp"

#include <chrono>
#include <thread>

#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::jobs_test {
namespace {

using commands::PurgeJobs;
using commands::Remains;

constexpr Who kRoot{UserId{1}, Role::super_admin};

struct Jobs {
  Service service;

  JobState start() { return service.must<JobState>(StartAuditArchive{service.clock.now()}, kRoot); }
  JobState tell(commands::Command command) {
    return service.must<JobState>(std::move(command), kSystem);
  }
  bool purge() { return service.must<Remains>(PurgeJobs{commands::kDirectory.value}, kSystem).any; }
  std::size_t purged() const { return service.count_records("job.purged"); }
};

TEST(Jobs, ids_carry_the_directory_shard) {
  Jobs jobs;
  const JobState first = jobs.start();
  const JobState second = jobs.start();
  EXPECT_NE(first.id, second.id);
  for (const JobState& job : {first, second})
    EXPECT_EQ(commands::shard_of(job.id.value, jobs.service.log->shard_count()),
              commands::kDirectory);
  EXPECT_EQ(first.status, JobStatus::pending);
  EXPECT_EQ(first.user_id, kRoot.id);
}

TEST(Jobs, one_goes_its_way) {
  Jobs jobs;
  const JobId id = jobs.start().id;
  EXPECT_EQ(jobs.tell(ClaimJob{id, "a"}).worker, "a");
  EXPECT_EQ(jobs.tell(ClaimJob{id, "b"}).worker, "a") << "it is held";
  EXPECT_EQ(jobs.tell(AdvanceJob{id, 1, 30}).progress_pct, 30);
  jobs.service.clock.advance(kJobLeaseMs);
  EXPECT_EQ(jobs.tell(ClaimJob{id, "b"}).claim, 2);
  EXPECT_EQ(jobs.tell(CompleteJob{id, 1, {"{}"}}).status, JobStatus::running);
  EXPECT_EQ(jobs.tell(CompleteJob{id, 2, {"{}"}}).status, JobStatus::completed);
  jobs.service.expect_refold_gives_the_same();
}

TEST(Jobs, those_long_over_are_purged_once) {
  Jobs jobs;
  const JobId over = jobs.start().id;
  const JobId open = jobs.start().id;
  jobs.service.must<JobState>(CancelJob{over}, kRoot);
  jobs.service.clock.advance(kJobRetentionMs - 1);
  EXPECT_FALSE(jobs.purge());
  EXPECT_EQ(jobs.purged(), 0U);
  jobs.service.clock.advance(1);
  EXPECT_FALSE(jobs.purge());
  EXPECT_EQ(jobs.purged(), 1U);
  EXPECT_FALSE(jobs.purge());
  EXPECT_EQ(jobs.purged(), 1U);
  EXPECT_EQ(jobs.tell(ClaimJob{open, "a"}).status, JobStatus::running);
  jobs.service.expect_refold_gives_the_same();
}

TEST(JobCleaner, purges_by_itself) {
  Jobs jobs;
  constexpr std::size_t kCount = PurgeJobs::kJobsMax + 5;
  for (std::size_t i = 0; i < kCount; ++i)
    jobs.service.must<JobState>(CancelJob{jobs.start().id}, kRoot);
  jobs.service.clock.advance(kJobRetentionMs);
  platform::Logger logger{jobs.service.clock, platform::LogLevel::error, [](std::string_view) {}};
  commands::JobCleaner cleaner{*jobs.service.runtime, *jobs.service.log, jobs.service.clock, logger,
                               std::chrono::milliseconds(1)};
  cleaner.own(commands::kDirectory);
  cleaner.start();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (jobs.purged() < kCount) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "it never came";
    std::this_thread::yield();
  }
  cleaner.stop();
  EXPECT_EQ(jobs.purged(), kCount) << "each once";
}

}  // namespace
}  // namespace annolog::testing::jobs_test
