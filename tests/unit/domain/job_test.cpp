// Asynchronous jobs: who may ask for one and end it, and who of several workers has it.
#include "domain/job/commands.hpp"

#include <gtest/gtest.h>

namespace annolog::testing::job_test {
namespace {

constexpr Timestamp kNow{1'700'000'000'000};
constexpr JobId kJob{64};
constexpr UserId kAuditor{7};

const Context kBySystem{kSystemUser, Role::super_admin, kNow};

JobState happened(const Events& events, Timestamp at = kNow) {
  JobState job;
  for (const Event& event : events)
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { evolve(job, e, Happened{}); })
            evolve(job, e, Happened{kAuditor, at});
        },
        event);
  return job;
}

JobQueued queued(JobKind kind = JobKind::audit_archive) { return {kJob, kind, {}, {"{}"}}; }
JobClaimed claimed(std::int64_t claim, Timestamp until) { return {kJob, claim, "w", until}; }

JobState pending(JobKind kind = JobKind::audit_archive) { return happened({queued(kind)}); }
JobState running() { return happened({queued(), claimed(1, kNow + kJobLeaseMs)}); }

std::string code_of(const Result<Events>& decided) {
  if (!decided) return decided.error().code;
  return decided.value().empty() ? "nothing" : "ok";
}

TEST(Job, an_archive_is_a_super_admins_wish) {
  for (const Role role : {Role::viewer, Role::reviewer, Role::project_admin})
    EXPECT_EQ(code_of(decide(StartAuditArchive{kNow}, kJob, {kAuditor, role, kNow})), "FORBIDDEN");
  const auto decided = decide(StartAuditArchive{kNow}, kJob, {kAuditor, Role::super_admin, kNow});
  ASSERT_TRUE(decided);
  const JobQueued expected{
      kJob, JobKind::audit_archive, {}, {R"({"before":"2023-11-14T22:13:20.000Z"})"}};
  EXPECT_EQ(decided.value(), Events{expected});
}

TEST(Job, an_archive_reaches_no_further_than_now) {
  const Context context{kAuditor, Role::super_admin, kNow};
  EXPECT_EQ(code_of(decide(StartAuditArchive{kNow + 1}, kJob, context)), "VALIDATION_ERROR");
}

TEST(Job, of_two_that_claim_one_wins) {
  const auto first = decide(pending(), ClaimJob{kJob, "a"}, kBySystem);
  ASSERT_TRUE(first);
  const JobClaimed won{kJob, 1, "a", kNow + kJobLeaseMs};
  EXPECT_EQ(first.value(), Events{won});
  EXPECT_EQ(code_of(decide(running(), ClaimJob{kJob, "b"}, kBySystem)), "nothing");
}

TEST(Job, one_whose_lease_is_over_is_claimed_anew) {
  const Context later{kSystemUser, Role::super_admin, kNow + kJobLeaseMs};
  const auto decided = decide(running(), ClaimJob{kJob, "b"}, later);
  ASSERT_TRUE(decided);
  const JobClaimed expected{kJob, 2, "b", kNow + 2 * kJobLeaseMs};
  EXPECT_EQ(decided.value(), Events{expected});
}

TEST(Job, what_an_overtaken_worker_says_comes_to_nothing) {
  const JobState job = happened({queued(), claimed(1, kNow), claimed(2, kNow + kJobLeaseMs)});
  EXPECT_EQ(code_of(decide(job, AdvanceJob{kJob, 1, 50}, kBySystem)), "nothing");
  EXPECT_EQ(code_of(decide(job, CompleteJob{kJob, 1, {"{}"}}, kBySystem)), "nothing");
  EXPECT_EQ(code_of(decide(job, FailJob{kJob, 1, "x"}, kBySystem)), "nothing");
  EXPECT_EQ(code_of(decide(job, CompleteJob{kJob, 2, {"{}"}}, kBySystem)), "ok");
}

TEST(Job, progress_renews_the_lease_and_never_goes_back) {
  const JobState job = happened({queued(), claimed(1, kNow), JobAdvanced{kJob, 1, 40, kNow}});
  const auto decided = decide(job, AdvanceJob{kJob, 1, 30}, kBySystem);
  ASSERT_TRUE(decided);
  const JobAdvanced expected{kJob, 1, 40, kNow + kJobLeaseMs};
  EXPECT_EQ(decided.value(), Events{expected});
  const auto beyond = decide(job, AdvanceJob{kJob, 1, 150}, kBySystem);
  ASSERT_TRUE(beyond);
  EXPECT_EQ(std::get<JobAdvanced>(beyond.value().front()).progress_pct, 99);
}

TEST(Job, only_the_service_works_on_one) {
  const Context person{kAuditor, Role::super_admin, kNow};
  EXPECT_EQ(code_of(decide(pending(), ClaimJob{kJob, "a"}, person)), "NOT_FOUND");
  EXPECT_EQ(code_of(decide(running(), CompleteJob{kJob, 1, {"{}"}}, person)), "NOT_FOUND");
}

TEST(Job, is_cancelled_by_who_asked_for_it_or_a_super_admin) {
  const auto by = [](UserId user, Role role) {
    return code_of(decide(running(), CancelJob{kJob}, {user, role, kNow}));
  };
  EXPECT_EQ(by(kAuditor, Role::viewer), "ok");
  EXPECT_EQ(by(UserId{8}, Role::super_admin), "ok");
  EXPECT_EQ(by(UserId{8}, Role::project_admin), "NOT_FOUND");
}

// Row: kind, what has happened, what cancelling comes to.
TEST(Job, some_kinds_can_be_cancelled_until_they_end) {
  const Context context{kAuditor, Role::viewer, kNow};
  EXPECT_EQ(code_of(decide(JobState{}, CancelJob{kJob}, context)), "NOT_FOUND");
  for (const JobKind kind : {JobKind::audit_archive, JobKind::predictions_import})
    EXPECT_EQ(code_of(decide(pending(kind), CancelJob{kJob}, context)), "ok");
  for (const JobKind kind : {JobKind::batch_predict, JobKind::video_tracker})
    EXPECT_EQ(code_of(decide(pending(kind), CancelJob{kJob}, context)), "JOB_NOT_CANCELLABLE");
  for (const Event& end :
       {Event{JobCompleted{kJob, {"{}"}}}, Event{JobFailed{kJob, "x"}}, Event{JobCancelled{kJob}}})
    EXPECT_EQ(code_of(decide(happened({queued(), end}), CancelJob{kJob}, context)), "JOB_FINAL");
}

TEST(Job, a_cancelled_one_is_nobodys_any_more) {
  const JobState job = happened({queued(), claimed(1, kNow + kJobLeaseMs), JobCancelled{kJob}});
  EXPECT_EQ(job.status, JobStatus::cancelled);
  EXPECT_EQ(job.completed_at, kNow);
  EXPECT_EQ(code_of(decide(job, AdvanceJob{kJob, 1, 50}, kBySystem)), "nothing");
  EXPECT_EQ(code_of(decide(job, CompleteJob{kJob, 1, {"{}"}}, kBySystem)), "nothing");
  EXPECT_EQ(code_of(decide(job, ClaimJob{kJob, "b"}, kBySystem)), "nothing");
}

TEST(Job, is_shown_as_its_events_left_it) {
  const JobState done =
      happened({queued(), claimed(1, kNow + 5), JobAdvanced{kJob, 1, 40, kNow + 9},
                JobCompleted{kJob, {R"({"rows":3})"}}});
  EXPECT_EQ(done.status, JobStatus::completed);
  EXPECT_EQ(done.progress_pct, 100);
  EXPECT_EQ(done.result.text, R"({"rows":3})");
  EXPECT_EQ(done.user_id, kAuditor);
  EXPECT_FALSE(done.lease_until);
  const JobState failed = happened({queued(), claimed(1, kNow + 5), JobFailed{kJob, "no room"}});
  EXPECT_EQ(failed.error_message, "no room");
  EXPECT_EQ(failed.result.text, "null");
}

TEST(Job, is_purged_thirty_days_after_its_end) {
  const JobState ended = happened({queued(), JobCancelled{kJob}});
  const Timestamp due = kNow + kJobRetentionMs;
  EXPECT_EQ(purge_jobs({ended}, due), Events{JobPurged{kJob}});
  EXPECT_TRUE(purge_jobs({ended}, Timestamp{due.ms - 1}).empty());
  EXPECT_TRUE(purge_jobs({pending(), running(), JobState{}}, due).empty());
}

}  // namespace
}  // namespace annolog::testing::job_test
