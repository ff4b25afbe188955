// What a batch does to its tasks, and their work to it (spec, "Batch"; decisions, sections 4, 5).
#include <random>

#include "domain/task/transitions.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::batch_tasks_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;

constexpr std::array kBatchStatuses{S::draft,    S::active,   S::annotating, S::reviewing,
                                    S::approved, S::rejected, S::archived};
constexpr std::array kTaskStatuses{T::pending, T::assigned, T::in_progress, T::submitted,
                                   T::review,  T::rejected, T::completed};

bool is_one_of(T status, std::initializer_list<T> some) {
  return std::find(some.begin(), some.end(), status) != some.end();
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(end));
  }
  std::optional<UserId> somebody() {
    const auto who = below(4);
    return who == 0 ? std::nullopt : std::optional(UserId{who});
  }

 private:
  std::mt19937_64 bits_;
};

TaskState random_task(Chance& chance, const BatchState& batch) {
  TaskState task;
  task.id = kTask;
  task.project_id = kProject;
  task.batch_id = batch.id;
  task.batch_change = batch.change;
  task.status = kTaskStatuses.at(static_cast<std::size_t>(chance.below(7)));
  // Work not begun is the annotator's; other work may have been taken over by others.
  task.assignee_id =
      is_one_of(task.status, {T::pending, T::assigned}) ? batch.annotator_id : chance.somebody();
  if (task.status == T::pending && batch.annotator_id) task.assignee_id.reset();  // skipped
  if (task.status == T::assigned && !batch.annotator_id) task.status = T::pending;
  task.reviewer_id = chance.somebody();
  if (task.status != T::completed && chance.below(2) == 0) {
    task.lock = Lock{UserId{1 + chance.below(3)}, kLockEnd};
  }
  task.version = 1 + chance.below(5);
  task.updated_at = kNow;
  return task;
}

// The law in words of its own: people change, and the task follows unless it is completed.
void follow(TaskState& task, const BatchAssigned& event, Timestamp at) {
  ++task.batch_change;
  if (task.status == T::completed) return;
  ++task.version;
  task.updated_at = at;
  const bool waits_for_review = is_one_of(task.status, {T::submitted, T::review});
  if (event.annotator_changed) {
    task.assignee_id = event.annotator_id;
    if (!waits_for_review) task.lock.reset();
    if (is_one_of(task.status, {T::pending, T::assigned})) {
      task.status = event.annotator_id ? T::assigned : T::pending;
    }
  }
  if (event.reviewer_changed) {
    task.reviewer_id = event.reviewer_id;
    if (waits_for_review) task.lock.reset();
  }
}

// Another annotator, reviewer or both.
BatchAssigned random_change(Chance& chance, const BatchState& batch) {
  for (;;) {
    BatchAssigned event{kProject, kBatch, batch.annotator_id, batch.reviewer_id, false, false};
    if (chance.below(2) == 0) event.annotator_id = chance.somebody();
    if (chance.below(2) == 0) event.reviewer_id = chance.somebody();
    event.annotator_changed = event.annotator_id != batch.annotator_id;
    event.reviewer_changed = event.reviewer_id != batch.reviewer_id;
    if (event.annotator_changed || event.reviewer_changed) return event;
  }
}

BatchState new_batch(std::optional<UserId> annotator, std::optional<UserId> reviewer) {
  return born(BatchCreated{kProject, kBatch, kBatchNumber, "Night", annotator, reviewer},
              {kOwner, kNow});
}

TEST(BatchTasks, taking_in_many_changes_equals_taking_them_in_one_by_one) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    auto batch = new_batch(chance.somebody(), chance.somebody());
    for (auto n = chance.below(3); n > 0; --n) {  // before the task was last brought up to date
      evolve(batch, random_change(chance, batch), {kOwner, kNow});
    }
    const TaskState task = random_task(chance, batch);
    TaskState one_by_one = task;
    TaskState now_and_then = task;
    TaskState expected = task;
    const auto changes = chance.below(7);
    for (std::int64_t n = 1; n <= changes; ++n) {
      const auto event = random_change(chance, batch);
      evolve(batch, event, {kOwner, kNow + n});
      follow(expected, event, kNow + n);
      one_by_one = caught_up(one_by_one, batch);
      ASSERT_EQ(one_by_one, expected) << "change " << n;
      if (chance.below(3) == 0) now_and_then = caught_up(now_and_then, batch);
    }
    ASSERT_EQ(caught_up(task, batch), expected);
    ASSERT_EQ(caught_up(now_and_then, batch), expected);
    ASSERT_EQ(caught_up(expected, batch), expected) << "once is enough";
  }
}

TEST(BatchTasks, the_counts_of_a_batch_follow_its_annotator_as_its_tasks_do) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    auto batch = new_batch(chance.somebody(), chance.somebody());
    BatchProgress counts;
    std::vector<TaskState> tasks;
    for (auto n = chance.below(30); n > 0; --n) {
      tasks.push_back(random_task(chance, batch));
      ++counts.of(tasks.back().status);
    }
    for (int n = 0; n < 5; ++n) {
      const auto event = random_change(chance, batch);
      evolve(batch, event, {kOwner, kNow});
      evolve(counts, event);
      BatchProgress recount;
      for (const auto& task : tasks) ++recount.of(caught_up(task, batch).status);
      ASSERT_EQ(counts, recount);
      ASSERT_EQ(counts.total(), static_cast<std::int64_t>(tasks.size()));
    }
  }
}

TEST(BatchTasks, a_task_that_joins_follows_the_batchs_people) {
  for (const T status : kTaskStatuses) {
    SCOPED_TRACE(to_string(status));
    for (const bool named : {true, false}) {
      auto batch = named ? new_batch(kOther, kSecondReviewer) : new_batch({}, {});
      batch.change = 4;
      auto task = given_task(status).world.task;
      const auto before = task;
      join(task, batch, {kOwner, kNow + 5});
      EXPECT_EQ(task.batch_id, kBatch);
      EXPECT_EQ(task.batch_change, 4);
      EXPECT_EQ(task.version, before.version + 1);
      EXPECT_EQ(task.updated_at, kNow + 5);
      if (status == T::completed) {
        EXPECT_EQ(task.status, before.status);
        EXPECT_EQ(task.assignee_id, before.assignee_id);
        EXPECT_EQ(task.reviewer_id, before.reviewer_id);
      } else if (named) {
        EXPECT_EQ(task.assignee_id, kOther);
        EXPECT_EQ(task.reviewer_id, kSecondReviewer);
        EXPECT_EQ(task.status, status == T::pending ? T::assigned : status);
      } else {
        const bool not_begun = is_one_of(status, {T::pending, T::assigned});
        EXPECT_EQ(task.status, not_begun ? T::pending : status);
        EXPECT_EQ(task.assignee_id, not_begun ? std::nullopt : before.assignee_id);
        EXPECT_EQ(task.reviewer_id, before.reviewer_id);
      }
    }
  }
}

TEST(BatchTasks, nobody_else_holds_a_task_that_joins) {
  for (const T status : {T::pending, T::in_progress, T::rejected, T::submitted, T::review}) {
    auto task = given_task(status).world.task;
    task.lock = Lock{kAnnotator, kLockEnd};
    join(task, new_batch(kOther, kSecondReviewer), {kOwner, kNow});
    EXPECT_EQ(task.lock, std::nullopt) << to_string(status);
  }
}

TEST(BatchTasks, a_task_that_leaves_is_unclassified_and_else_as_it_was) {
  for (const T status : kTaskStatuses) {
    auto task = given_task(status).world.task;
    task.batch_id = kBatch;
    task.batch_change = 3;
    auto expected = task;
    expected.batch_id.reset();
    expected.batch_change = 0;
    expected.version += 1;
    expected.updated_at = kNow + 5;
    leave(task, {kOwner, kNow + 5});
    EXPECT_EQ(task, expected) << to_string(status);
  }
}

TEST(BatchTasks, a_reset_makes_every_task_pending_and_keeps_its_annotations) {
  for (const T status : kTaskStatuses) {
    SCOPED_TRACE(to_string(status));
    auto task = given_task(status).world.task;
    task.batch_id = kBatch;
    task.lock = Lock{kAnnotator, kLockEnd};
    task.annotation_count = 7;
    task.skipped_at = kNow;
    reset(task, BatchReset{kProject, kBatch, S::rejected, kReviewer, "start it over"},
          {kOwner, kNow + 5});
    EXPECT_EQ(task.status, T::pending);
    EXPECT_EQ(task.assignee_id, std::nullopt) << "else it would be assigned";
    EXPECT_EQ(task.batch_id, kBatch);
    EXPECT_EQ(task.lock, std::nullopt);
    EXPECT_EQ(task.annotation_count, 7);
    EXPECT_EQ(task.reject_reason, std::nullopt);
    EXPECT_EQ(task.reject_reason_type, std::nullopt);
    EXPECT_EQ(task.submitted_by, std::nullopt) << "else nobody could review it";
    EXPECT_EQ(task.skipped_at, std::nullopt);
    EXPECT_EQ(task.updated_at, kNow + 5);
  }
}

// --- Steps of the batch that follow from work.

const Event kTaken = TaskTaken{kProject, kTask, kAnnotator, kLockEnd};
const Event kLocked = TaskLocked{kProject, kTask, kAnnotator, kLockEnd};
const Event kRenewed = TaskLockRenewed{kProject, kTask, kAnnotator, kLockEnd};
const Event kAdded = TaskAnnotationsAdded{kProject, kTask, {made(100)}};
const Event kSubmitted = TaskSubmitted{kProject, kTask, kAnnotator};
const Event kSent = TaskSentToReview{kProject, kTask};
const Event kSkipped = TaskSkipped{kProject, kTask, kAnnotator, std::nullopt};

Event annotation_event(int kind) {
  switch (kind) {
    case 0: {
      AnnotationUpdated updated;
      updated.task_id = kTask;
      return updated;
    }
    case 1: return AnnotationDeleted{kProject, kTask, AnnotationId{100}, ClassId{1}, 2, false};
    default: return AnnotationRestored{kProject, kTask, AnnotationId{100}, ClassId{1}, 3, false};
  }
}

BatchMoved by_itself(S from, S to) {
  return {.project_id = kProject,
          .batch_id = kBatch,
          .from = from,
          .to = to,
          .automatic = true,
          .reason = std::nullopt,
          .review_feedback = std::nullopt,
          .annotator_id = kAnnotator,
          .reviewer_id = kReviewer};
}
const Event kBegins = by_itself(S::active, S::annotating);
const Event kEnds = by_itself(S::annotating, S::reviewing);

// What follows in a batch at `batch`, with `others` open tasks beside the task at `task`.
Events following(S batch, T task, Events events, std::int64_t others = 1) {
  auto on = given_task(task);
  TaskBatch in{new_batch(kAnnotator, kReviewer), {}};
  in.batch.status = batch;
  in.progress.pending = others;
  ++in.progress.of(task);
  const auto before = events.size();
  follow_work(in, on.world.task, events);
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(before));
  return events;
}

TEST(BatchWork, the_first_taking_lock_or_annotation_begins_the_batch) {
  EXPECT_EQ(following(S::active, T::assigned, {kTaken}), Events{kBegins});
  EXPECT_EQ(following(S::active, T::in_progress, {kLocked}), Events{kBegins});
  EXPECT_EQ(following(S::active, T::in_progress, {kRenewed}), Events{kBegins});
  EXPECT_EQ(following(S::active, T::in_progress, {kAdded}), Events{kBegins});
  for (int kind = 0; kind < 3; ++kind) {
    EXPECT_EQ(following(S::active, T::in_progress, {annotation_event(kind)}), Events{kBegins})
        << kind;
  }
}

TEST(BatchWork, a_submission_without_shapes_is_work_too) {
  EXPECT_EQ(following(S::active, T::in_progress, {kSubmitted}), Events{kBegins});
  EXPECT_EQ(following(S::active, T::in_progress, {kSubmitted}, 0), (Events{kBegins, kEnds}))
      << "or nothing ever ends it";
}

TEST(BatchWork, the_last_open_task_sends_the_batch_to_review) {
  EXPECT_EQ(following(S::annotating, T::in_progress, {kSubmitted}, 0), Events{kEnds});
  EXPECT_EQ(following(S::annotating, T::in_progress, {kSubmitted, kSent}, 0), Events{kEnds});
  EXPECT_EQ(following(S::annotating, T::rejected,
                      {Event(TaskRejectionAccepted{kProject, kTask}), kAdded, kSubmitted}, 0),
            Events{kEnds});
  EXPECT_TRUE(following(S::annotating, T::in_progress, {kSubmitted}, 1).empty());
}

TEST(BatchWork, a_batch_whose_tasks_all_wait_for_review_goes_there_with_any_work) {
  EXPECT_EQ(following(S::active, T::submitted, {kAdded}, 0), (Events{kBegins, kEnds}));
  EXPECT_EQ(following(S::annotating, T::submitted, {kAdded}, 0), Events{kEnds});
  EXPECT_EQ(following(S::active, T::submitted, {kAdded}, 1), Events{kBegins});
}

TEST(BatchWork, both_steps_may_come_in_one_append) {
  EXPECT_EQ(following(S::active, T::in_progress, {kAdded, kSubmitted}, 0),
            (Events{kBegins, kEnds}));
  EXPECT_EQ(following(S::active, T::in_progress, {kAdded, kSubmitted}, 1), Events{kBegins});
}

// None comes to stand so any more, but logs from before hold some.
TEST(BatchWork, a_batch_at_annotating_without_open_tasks_goes_to_review_with_whatever_happens) {
  EXPECT_EQ(following(S::annotating, T::submitted, {kSent}, 0), Events{kEnds});
  EXPECT_EQ(following(S::annotating, T::review,
                      {TaskApproved{kProject, kTask, kReviewer, kAnnotator}}, 0),
            Events{kEnds});
  EXPECT_TRUE(following(S::annotating, T::submitted, {}, 0).empty()) << "nothing happened";
}

TEST(BatchWork, nothing_else_moves_a_batch) {
  EXPECT_TRUE(following(S::active, T::in_progress, {}).empty());
  EXPECT_TRUE(
      following(S::active, T::in_progress, {TaskUnlocked{kProject, kTask, kOther}}).empty());
  EXPECT_TRUE(following(S::active, T::in_progress, {kSkipped}).empty());
  EXPECT_TRUE(following(S::active, T::review,
                        {TaskRejected{kProject, kTask, kReviewer, kAnnotator, RejectReason::extra,
                                      std::nullopt}})
                  .empty());
  EXPECT_TRUE(
      following(S::active, T::review, {TaskApproved{kProject, kTask, kReviewer, kAnnotator}}, 0)
          .empty());
  EXPECT_TRUE(following(S::annotating, T::in_progress, {kSkipped}, 0).empty());
  EXPECT_TRUE(following(S::annotating, T::in_progress, {kAdded}, 0).empty());
  for (const S status : kBatchStatuses) {
    if (status == S::active || status == S::annotating) continue;
    EXPECT_TRUE(following(status, T::assigned, {kTaken}).empty()) << to_string(status);
    EXPECT_TRUE(following(status, T::in_progress, {kAdded, kSubmitted}, 0).empty())
        << to_string(status);
  }
}

}  // namespace
}  // namespace annolog::testing::batch_tasks_test
