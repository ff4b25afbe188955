// The job that reads the sizes of a dataset's images.
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::backfill_test {
namespace {

constexpr ItemId kFirst{201};
constexpr ItemId kSecond{202};
constexpr ItemId kThird{203};

RegisteredItem unmeasured(ItemId id, std::int64_t number) {
  const std::string name = std::to_string(id.value) + ".png";
  return {id, number, name, name, "image/png", 10, {}, {}, {}, {"{}"}};
}

std::vector<Past> with(std::vector<Past> past, const Events& events) {
  for (const Event& event : events) past.emplace_back(event);
  return past;
}

std::vector<Past> dataset() {
  return with(
      {}, {DatasetCreated{kDataset, "Photos", "", DataType::image, kOwner},
           ItemsRegistered{
               kDataset, {unmeasured(kFirst, 1), unmeasured(kSecond, 2), unmeasured(kThird, 3)}}});
}
std::vector<Past> begun() { return with(dataset(), {DatasetBackfillStarted{kDataset, 1}}); }
DatasetBackfillEnded ended(BackfillStatus how) { return {kDataset, 1, how}; }

TEST(Backfill, one_begins_when_none_runs) {
  given(dataset()).when(StartBackfill{kDataset}).then({DatasetBackfillStarted{kDataset, 1}});
  given(begun()).when(StartBackfill{kDataset}).then_nothing();
  for (const auto how : {BackfillStatus::completed, BackfillStatus::cancelled})
    given(with(begun(), {ended(how)}))
        .when(StartBackfill{kDataset})
        .then({DatasetBackfillStarted{kDataset, 2}});
}

TEST(Backfill, is_the_creators_and_super_admins) {
  for (const UserId user : {kAdmin, kReviewer, kStranger}) {
    given(dataset()).when(StartBackfill{kDataset}, user).then_fails("FORBIDDEN");
    given(begun()).when(CancelBackfill{kDataset}, user).then_fails("FORBIDDEN");
  }
  EXPECT_EQ(given(dataset()).when(StartBackfill{kDataset}, kRoot).code(), "ok");
}

TEST(Backfill, only_one_that_runs_is_cancelled) {
  given(dataset()).when(CancelBackfill{kDataset}).then_fails("NOT_FOUND");
  given(begun()).when(CancelBackfill{kDataset}).then({ended(BackfillStatus::cancelled)});
  for (const auto how : {BackfillStatus::completed, BackfillStatus::cancelled})
    given(with(begun(), {ended(how)})).when(CancelBackfill{kDataset}).then_fails("JOB_FINAL");
}

TEST(Backfill, a_step_records_sizes_and_how_far_it_came) {
  const AdvanceBackfill step{kDataset, 1, {}, {{kFirst, 3, 4}}, {{kSecond, "Broken."}}, kSecond};
  given(begun()).when(step).then(
      {ItemMeasured{kDataset, kFirst, 3, 4},
       DatasetBackfillAdvanced{kDataset, 1, kSecond, 2, 1, {{kSecond, "Broken."}}}});
}

TEST(Backfill, the_last_step_ends_it) {
  const auto past = with(begun(), {DatasetBackfillAdvanced{kDataset, 1, kSecond, 2, 2, {}}});
  given(past)
      .when(AdvanceBackfill{kDataset, 1, kSecond, {{kThird, 5, 6}}, {}, {}})
      .then({ItemMeasured{kDataset, kThird, 5, 6},
             DatasetBackfillAdvanced{kDataset, 1, kSecond, 1, 1, {}},
             ended(BackfillStatus::completed)});
  given(past)
      .when(AdvanceBackfill{kDataset, 1, kSecond, {}, {}, {}})
      .then({ended(BackfillStatus::completed)});
}

TEST(Backfill, what_was_measured_meanwhile_is_looked_at_but_not_updated) {
  given(with(begun(), {ItemMeasured{kDataset, kFirst, 1, 1}}))
      .when(AdvanceBackfill{kDataset, 1, {}, {{kFirst, 3, 4}}, {}, kFirst})
      .then({DatasetBackfillAdvanced{kDataset, 1, kFirst, 1, 0, {}}});
}

TEST(Backfill, nothing_comes_of_a_step_that_is_not_the_next) {
  const AdvanceBackfill step{kDataset, 1, {}, {{kFirst, 3, 4}}, {}, kFirst};
  const DatasetBackfillAdvanced overtook{kDataset, 1, kFirst, 1, 0, {}};
  given(with(begun(), {overtook})).when(step).then_nothing();
  given(with(begun(), {ended(BackfillStatus::cancelled)})).when(step).then_nothing();
  given(with(begun(), {ended(BackfillStatus::cancelled), DatasetBackfillStarted{kDataset, 2}}))
      .when(step)
      .then_nothing();
  given(with(begun(), {DatasetDeleted{kDataset}})).when(step).then_nothing();
  given(dataset()).when(step).then_nothing();
}

TEST(Backfill, the_first_failures_are_kept_and_all_counted) {
  std::vector<MeasureFailure> failed(60, {kFirst, "Broken."});
  const DatasetBackfillAdvanced step{kDataset, 1, kFirst, 60, 0, failed};
  const auto job = given(with(begun(), {step, step})).world.backfill;
  EXPECT_EQ(job.failed, 120);
  EXPECT_EQ(job.failures.size(), kBackfillFailuresMax);
  EXPECT_EQ(job.processed, 120);
}

TEST(Backfill, a_new_one_counts_from_nothing) {
  const auto job =
      given(with(begun(), {DatasetBackfillAdvanced{kDataset, 1, kFirst, 9, 8, {{kFirst, "x"}}},
                           ended(BackfillStatus::cancelled), DatasetBackfillStarted{kDataset, 2}}))
          .world.backfill;
  EXPECT_EQ(job.number, 2);
  EXPECT_EQ(job.processed + job.updated + job.failed, 0);
  EXPECT_TRUE(job.is_running());
  EXPECT_FALSE(job.finished_at);
  EXPECT_EQ(job.reached, ItemId{});
}

}  // namespace
}  // namespace annolog::testing::backfill_test
