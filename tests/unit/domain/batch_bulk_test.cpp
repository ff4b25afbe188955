// Many batches in one call: which succeed, are skipped or fail (spec, "Batches"; decisions,
// section 4).
#include <map>

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_bulk_test {
namespace {

using S = BatchStatus;

constexpr std::array kAll{S::draft,    S::active,   S::annotating, S::reviewing,
                          S::approved, S::rejected, S::archived};
const BatchRef kDefault = batch_ref_from("B-DEFAULT");

BatchRef ref(std::int64_t id) { return {id, 0, {}}; }

BulkSubject subject(std::int64_t id, S status, std::int64_t tasks = 1) {
  BulkSubject one{ref(id), {}, {}};
  one.batch.id = BatchId{id};
  one.batch.project_id = kProject;
  one.batch.number = id;
  one.batch.status = status;
  one.batch.annotator_id = kAnnotator;
  one.batch.reviewer_id = kReviewer;
  one.batch.version = 1;
  one.progress.completed = tasks;
  return one;
}
BulkSubject missing(BatchRef named) { return {std::move(named), {}, {}}; }

const ProjectState& project() {
  static const ProjectState kState = given(project_with_members()).world.project;
  return kState;
}

std::vector<BatchRef> refs_of(const std::vector<BulkSubject>& subjects) {
  std::vector<BatchRef> refs;
  for (const auto& one : subjects) refs.push_back(one.ref);
  return refs;
}

Result<BulkDecision> change(BulkAction action, const std::vector<BulkSubject>& subjects,
                            UserId user = kOwner) {
  return decide(project(), ChangeBatches{kProject, action, refs_of(subjects)}, subjects, as(user));
}
Result<BulkDecision> reassign_all(const std::vector<BulkSubject>& subjects, Patch<UserId> annotator,
                                  Patch<UserId> reviewer, UserId user = kOwner) {
  return decide(project(), ReassignBatches{kProject, refs_of(subjects), annotator, reviewer, {}},
                subjects, as(user));
}
Result<DistributeDecision> distribute(std::vector<UserId> annotators, std::vector<UserId> reviewers,
                                      DistributeScope scope, const std::vector<BatchState>& batches,
                                      UserId user = kOwner) {
  return decide(project(),
                DistributeBatches{kProject, std::move(annotators), std::move(reviewers), scope, {}},
                batches, as(user));
}

template <class D>
std::string code_of(const Result<D>& result) {
  return result ? "ok" : result.error().code;
}
template <class D>
std::vector<std::string> errors_of(const Result<D>& result) {
  return result ? std::vector<std::string>{} : types_of(result.error().errors);
}

// What is said about single batches.
template <class D>
Events changes(const D& decision) {
  Events some;
  for (const auto& event : decision.events) {
    const bool of_one = std::visit([](const auto& e) { return requires { e.batch_id; }; }, event);
    if (of_one) some.push_back(event);
  }
  return some;
}
std::map<std::int64_t, std::string> failures(const BulkDecision& decision) {
  std::map<std::int64_t, std::string> codes;
  for (const auto& one : decision.outcome.failed) {
    EXPECT_FALSE(one.reason.empty());
    codes[one.batch_id.id] = one.code;
  }
  return codes;
}
std::vector<BatchRef> skips(const BulkDecision& decision) {
  std::vector<BatchRef> refs;
  for (const auto& one : decision.outcome.skipped) {
    EXPECT_FALSE(one.reason.empty());
    refs.push_back(one.batch_id);
  }
  return refs;
}
std::vector<std::int64_t> successes(const BulkDecision& decision) {
  std::vector<std::int64_t> ids;
  for (const auto id : decision.outcome.succeeded) ids.push_back(id.value);
  return ids;
}
using Ids = std::vector<std::int64_t>;
using Codes = std::map<std::int64_t, std::string>;

constexpr BulkAction kActions[] = {BulkAction::archive, BulkAction::remove, BulkAction::activate};

TEST(BatchBulk, is_for_the_owner_only) {
  const std::vector<BulkSubject> one{subject(1, S::draft)};
  for (const auto& [user, code] : {std::pair{kViewer, "FORBIDDEN"},
                                   {kAnnotator, "FORBIDDEN"},
                                   {kReviewer, "FORBIDDEN"},
                                   {kAdmin, "FORBIDDEN"},
                                   {kOwner, "ok"},
                                   {kRoot, "ok"},
                                   {kStranger, "NOT_FOUND"}}) {
    SCOPED_TRACE(user.value);
    for (const auto action : kActions) EXPECT_EQ(code_of(change(action, one, user)), code);
    EXPECT_EQ(code_of(reassign_all(one, Patch<UserId>(kOther), {}, user)), code);
    EXPECT_EQ(code_of(distribute({kOther}, {}, DistributeScope::all, {one[0].batch}, user)), code);
  }
}

TEST(BatchBulk, names_1_to_1000_batches) {
  std::vector<BulkSubject> many;
  for (std::int64_t i = 1; i <= 1000; ++i) many.push_back(subject(i, S::draft));
  for (const auto action : kActions) {
    const auto result = change(action, many);
    ASSERT_EQ(code_of(result), "ok");
    EXPECT_EQ(result.value().outcome.succeeded.size(), 1000U);
    EXPECT_EQ(changes(result.value()).size(), 1000U);
    EXPECT_EQ(errors_of(change(action, {})), std::vector<std::string>{"length"});
  }
  many.push_back(subject(1001, S::draft));
  EXPECT_EQ(errors_of(change(BulkAction::archive, many)), std::vector<std::string>{"length"});
  EXPECT_EQ(errors_of(reassign_all(many, Patch<UserId>(kOther), {})),
            std::vector<std::string>{"length"});
}

TEST(BatchBulk, never_takes_the_default_batch) {
  const std::vector<BulkSubject> both{missing(kDefault), subject(1, S::draft)};
  for (const auto action : kActions) {
    const auto result = change(action, both);
    ASSERT_EQ(code_of(result), "ok");
    EXPECT_EQ(skips(result.value()), std::vector{kDefault});
    EXPECT_EQ(successes(result.value()), Ids{1});
    EXPECT_TRUE(result.value().outcome.failed.empty());
  }
  const auto result = reassign_all(both, Patch<UserId>(kOther), {});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(skips(result.value()), std::vector{kDefault});
  EXPECT_EQ(successes(result.value()), Ids{1});
}

TEST(BatchBulk, a_batch_named_twice_is_changed_once) {
  // By id and by display id.
  auto again = subject(1, S::draft);
  again.ref = {0, 1, {}};
  const std::vector<BulkSubject> twice{subject(1, S::draft), again};
  for (const auto action : kActions) {
    const auto result = change(action, twice);
    ASSERT_EQ(code_of(result), "ok");
    EXPECT_EQ(successes(result.value()), Ids{1});
    EXPECT_EQ(changes(result.value()).size(), 1U);
    EXPECT_EQ(skips(result.value()), std::vector{again.ref});
  }
  const auto result = reassign_all(twice, Patch<UserId>(kOther), {});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(successes(result.value()), Ids{1});
  EXPECT_EQ(changes(result.value()).size(), 1U);
}

TEST(BatchBulk, archive_decides_per_batch) {
  for (const S status : kAll) {
    const auto result =
        change(BulkAction::archive, {subject(1, status), missing(ref(2)), subject(3, S::draft)});
    ASSERT_EQ(code_of(result), "ok");
    EXPECT_EQ(failures(result.value()), (Codes{{2, "NOT_FOUND"}}));
    const bool done = status == S::archived;
    EXPECT_EQ(successes(result.value()), (done ? Ids{3} : Ids{1, 3}));
    EXPECT_EQ(skips(result.value()), (done ? std::vector{ref(1)} : std::vector<BatchRef>{}));
    if (done) continue;
    const auto changed = changes(result.value());
    const auto* moved = std::get_if<BatchMoved>(&changed.at(0));
    ASSERT_NE(moved, nullptr);
    EXPECT_EQ(moved->batch_id, BatchId{1});
    EXPECT_EQ(moved->from, status);
    EXPECT_EQ(moved->to, S::archived);
    EXPECT_FALSE(moved->automatic);
  }
}

TEST(BatchBulk, activate_passes_over_batches_of_who_cannot_work) {
  const std::vector<BulkSubject> subjects{subject(3, S::draft)};
  ChangeBatches command{kProject, BulkAction::activate, refs_of(subjects)};
  command.unfit.annotators = {*subjects.front().batch.annotator_id};
  EXPECT_EQ(failures(decide(project(), command, subjects, as(kOwner)).value()),
            (Codes{{3, "BATCH_NEEDS_ANNOTATOR"}}));
}

TEST(BatchBulk, activate_decides_per_batch) {
  auto nobodys = subject(1, S::draft);
  nobodys.batch.annotator_id.reset();
  const auto empty = subject(2, S::draft, 0);
  const auto result =
      change(BulkAction::activate, {nobodys, empty, subject(3, S::draft), subject(4, S::rejected),
                                    subject(5, S::annotating), subject(6, S::reviewing),
                                    subject(7, S::approved), missing(ref(9))});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(successes(result.value()), (Ids{3, 4}));
  EXPECT_EQ(failures(result.value()), (Codes{{1, "BATCH_NEEDS_ANNOTATOR"},
                                             {2, "BATCH_EMPTY"},
                                             {5, "INVALID_TRANSITION"},
                                             {6, "INVALID_TRANSITION"},
                                             {7, "INVALID_TRANSITION"},
                                             {9, "NOT_FOUND"}}));
  for (const auto& event : changes(result.value())) {
    EXPECT_EQ(std::get<BatchMoved>(event).to, S::active);
  }
}

TEST(BatchBulk, activate_never_unarchives_for_want_of_a_reason) {
  const auto result = change(BulkAction::activate, {subject(1, S::archived)});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(failures(result.value()).size(), 1U);
  EXPECT_TRUE(changes(result.value()).empty());
}

TEST(BatchBulk, what_is_active_already_is_not_activated_again) {
  const auto result = change(BulkAction::activate, {subject(1, S::active)});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(skips(result.value()), std::vector{ref(1)});
  EXPECT_TRUE(changes(result.value()).empty());
}

TEST(BatchBulk, delete_takes_any_status) {
  std::vector<BulkSubject> all;
  for (const S status : kAll) {
    all.push_back(subject(static_cast<std::int64_t>(all.size()) + 1, status));
  }
  const auto result = change(BulkAction::remove, all);
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(successes(result.value()), (Ids{1, 2, 3, 4, 5, 6, 7}));
  ASSERT_EQ(changes(result.value()).size(), kAll.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(changes(result.value())[i], Event(BatchDeleted{kProject, all[i].batch.id}));
  }
}

TEST(BatchBulk, delete_touches_a_hundred_thousand_tasks_a_call) {
  std::vector<BulkSubject> full;
  for (std::int64_t i = 1; i <= 11; ++i) full.push_back(subject(i, S::draft, 10'000));
  full.push_back(subject(12, S::draft, 0));
  const auto result = change(BulkAction::remove, full);
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(failures(result.value()), (Codes{{11, "CALL_FULL"}}));
  EXPECT_EQ(successes(result.value()).size(), 11U) << "an empty one still fits";
}

// --- Reassign: all or nothing.

TEST(BatchBulk, one_call_deals_ten_thousand_batches) {
  std::vector<BatchState> batches(kMaxDistributedBatches, subject(1, S::draft).batch);
  EXPECT_EQ(code_of(distribute({kOther}, {}, DistributeScope::all, batches)), "ok");
  batches.push_back(batches.front());
  EXPECT_EQ(code_of(distribute({kOther}, {}, DistributeScope::all, batches)), "TOO_MANY_BATCHES");
}

TEST(BatchBulk, reassign_gives_all_to_others) {
  auto theirs = subject(2, S::reviewing);
  theirs.batch.annotator_id = kOther;
  const auto result =
      reassign_all({subject(1, S::draft), theirs}, Patch<UserId>(kOther), Patch<UserId>::null());
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(successes(result.value()), (Ids{1, 2}));
  EXPECT_EQ(changes(result.value()),
            (Events{BatchAssigned{kProject, BatchId{1}, kOther, {}, true, true},
                    BatchAssigned{kProject, BatchId{2}, kOther, {}, false, true}}));
}

TEST(BatchBulk, reassign_keeps_what_is_left_out) {
  const auto result = reassign_all({subject(1, S::active)}, {}, Patch<UserId>(kOwner));
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(changes(result.value()),
            (Events{BatchAssigned{kProject, BatchId{1}, kAnnotator, kOwner, false, true}}));
  EXPECT_EQ(errors_of(reassign_all({subject(1, S::active)}, {}, {})),
            std::vector<std::string>{"missing"});
}

TEST(BatchBulk, reassign_that_changes_nothing_succeeds_without_a_fact) {
  const auto result = reassign_all({subject(1, S::active)}, Patch<UserId>(kAnnotator), {});
  ASSERT_EQ(code_of(result), "ok");
  EXPECT_EQ(successes(result.value()), Ids{1});
  EXPECT_TRUE(changes(result.value()).empty());
}

TEST(BatchBulk, reassign_is_all_or_nothing) {
  for (const auto& [bad, code] : {std::pair{missing(ref(2)), "NOT_FOUND"},
                                  std::pair{subject(2, S::archived), "BATCH_ARCHIVED"}}) {
    const auto result =
        reassign_all({subject(1, S::active), bad, subject(3, S::draft)}, Patch<UserId>(kOther), {});
    ASSERT_EQ(code_of(result), "ok");
    EXPECT_EQ(failures(result.value()),
              (Codes{{1, "OTHERS_FAILED"}, {2, code}, {3, "OTHERS_FAILED"}}));
    EXPECT_TRUE(successes(result.value()).empty() && changes(result.value()).empty());
  }
}

TEST(BatchBulk, reassign_checks_the_people_once_for_all) {
  EXPECT_EQ(errors_of(reassign_all({subject(1, S::active)}, Patch<UserId>(kViewer),
                                   Patch<UserId>(kAnnotator))),
            (std::vector<std::string>{"not_an_annotator", "not_a_reviewer"}));
}

// --- Distribution.

using Handed = std::vector<std::tuple<std::int64_t, UserId, UserId>>;

Handed given_by(const Result<DistributeDecision>& result) {
  Handed all;
  if (!result) return all;
  for (const auto& one : result.value().outcome.assignments) {
    all.emplace_back(one.batch_id.value, one.annotator_id.value_or(UserId{}),
                     one.reviewer_id.value_or(UserId{}));
  }
  return all;
}

BatchState batch(std::int64_t id, std::optional<UserId> annotator, std::optional<UserId> reviewer,
                 S status = S::draft) {
  auto state = subject(id, status).batch;
  state.annotator_id = annotator;
  state.reviewer_id = reviewer;
  return state;
}

TEST(BatchBulk, batches_are_handed_round_in_their_order) {
  const auto result =
      distribute({kAnnotator, kOther}, {kReviewer, kAdmin, kOwner}, DistributeScope::unassigned,
                 {batch(1, {}, {}), batch(2, {}, {}), batch(3, {}, {}), batch(4, {}, {})});
  EXPECT_EQ(given_by(result), (Handed{{1, kAnnotator, kReviewer},
                                      {2, kOther, kAdmin},
                                      {3, kAnnotator, kOwner},
                                      {4, kOther, kReviewer}}));
  ASSERT_TRUE(result);
  EXPECT_EQ(changes(result.value()).size(), 4U);
  EXPECT_EQ(changes(result.value()).at(0),
            Event(BatchAssigned{kProject, BatchId{1}, kAnnotator, kReviewer, true, true}));
}

TEST(BatchBulk, only_free_places_are_filled_unless_all_are_asked_for) {
  const std::vector<BatchState> batches{batch(1, kOwner, kOwner), batch(2, kOwner, {}),
                                        batch(3, {}, {})};
  const auto unassigned =
      distribute({kAnnotator}, {kReviewer}, DistributeScope::unassigned, batches);
  EXPECT_EQ(given_by(unassigned), (Handed{{2, kOwner, kReviewer}, {3, kAnnotator, kReviewer}}));
  const auto all = distribute({kAnnotator}, {kReviewer}, DistributeScope::all, batches);
  EXPECT_EQ(
      given_by(all),
      (Handed{{1, kAnnotator, kReviewer}, {2, kAnnotator, kReviewer}, {3, kAnnotator, kReviewer}}));
}

TEST(BatchBulk, each_side_goes_round_in_a_circle_of_its_own) {
  // Every second batch has a reviewer already; the others' turns come one after another all the
  // same.
  const auto result =
      distribute({kAnnotator, kOther}, {kReviewer, kAdmin}, DistributeScope::unassigned,
                 {batch(1, {}, kOwner), batch(2, {}, {}), batch(3, {}, kOwner), batch(4, {}, {})});
  EXPECT_EQ(given_by(result), (Handed{{1, kAnnotator, kOwner},
                                      {2, kOther, kReviewer},
                                      {3, kAnnotator, kOwner},
                                      {4, kOther, kAdmin}}));
}

TEST(BatchBulk, a_side_without_people_stays) {
  const auto result = distribute({}, {kAdmin}, DistributeScope::all,
                                 {batch(1, kOther, kReviewer), batch(2, {}, {})});
  EXPECT_EQ(given_by(result), (Handed{{1, kOther, kAdmin}, {2, UserId{}, kAdmin}}));
  EXPECT_EQ(errors_of(distribute({}, {}, DistributeScope::all, {})),
            std::vector<std::string>{"missing"});
}

TEST(BatchBulk, whom_nothing_can_be_handed_to_is_named_by_place) {
  const auto result = distribute({kAnnotator, kViewer, kStranger}, {kAnnotator, kReviewer},
                                 DistributeScope::all, {batch(1, {}, {})});
  ASSERT_FALSE(result);
  EXPECT_EQ(errors_of(result),
            (std::vector<std::string>{"not_an_annotator", "not_an_annotator", "not_a_reviewer"}));
  EXPECT_EQ(result.error().errors.at(0).loc, (Location{std::string("annotator_ids"), 1}));
  EXPECT_EQ(result.error().errors.at(1).loc, (Location{std::string("annotator_ids"), 2}));
  EXPECT_EQ(result.error().errors.at(2).loc, (Location{std::string("reviewer_ids"), 0}));
}

TEST(BatchBulk, a_batch_whose_work_is_over_is_handed_to_nobody) {
  for (const S status : {S::archived, S::approved}) {
    EXPECT_TRUE(given_by(distribute({kOther}, {kReviewer}, DistributeScope::all,
                                    {batch(1, {}, {}, status)}))
                    .empty());
  }
}

}  // namespace
}  // namespace annolog::testing::batch_bulk_test
