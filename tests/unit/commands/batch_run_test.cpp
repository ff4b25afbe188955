// Thousands of commands by chance: what tasks/next offers is checked against the law (decisions,
// section 5) looked up in all rows, the kept counts against counting, and the state against a
// refold.
#include <random>

#include "domain/task/transitions.hpp"
#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::batch_run_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;

BatchRef ref(BatchId batch) { return {batch.value, 0, {}}; }

bool is_at_work(S status) {
  return status == S::active || status == S::annotating || status == S::reviewing;
}

// At which turn a task is offered: the first and the last that the law lets pass for it.
struct Turn {
  int first = kNever;
  int last = kNever;
  static constexpr int kNever = 99;
  static constexpr Turn never() { return {}; }
  bool offered() const { return first != kNever; }
};

constexpr int kHeld = 1, kRejected = 2, kBegun = 3, kAssigned = 4, kNobodys = 5, kOfBatch = 6,
              kUnclassified = 7, kSkipped = 8;

// The law in the words of decisions, section 5.
class Law {
 public:
  Law(const Rows& rows, UserId caller, std::optional<BatchId> scope, Timestamp now)
      : rows_(rows), caller_(caller), scope_(scope), now_(now) {}

  Turn turn_of(const TaskState& task) const {
    const auto* batch = rows_.batch_of(task);
    if (scope_ && task.batch_id != scope_) return Turn::never();
    if (batch != nullptr && !is_at_work(batch->status)) return Turn::never();
    if (const auto* lock = task.live_lock(now_)) {
      return lock->user_id == caller_ && is_open(task.status) ? Turn{kHeld, kHeld} : Turn::never();
    }
    const bool own = task.assignee_id == caller_;
    const bool begun = task.status == T::rejected || task.status == T::in_progress;
    if (begun && !task.assignee_id) return of_nobody(batch);
    switch (task.status) {
      case T::rejected: return own ? Turn{kRejected, kRejected} : Turn::never();
      case T::in_progress: return own ? Turn{kBegun, kBegun} : Turn::never();
      case T::assigned: return own ? assigned(task) : Turn::never();
      case T::pending: return pending(task, batch);
      default: return Turn::never();
    }
  }

 private:
  // The mark of a skip may have outlived a change of annotator; both turns will do.
  static Turn assigned(const TaskState& task) {
    return {kAssigned, task.skipped_at ? kSkipped : kAssigned};
  }
  Turn pending(const TaskState& task, const BatchState* batch) const {
    if (task.skipped_at) return of_nobody(batch, kSkipped, kSkipped);
    return of_nobody(batch, kOfBatch, kUnclassified);
  }
  Turn of_nobody(const BatchState* batch, int in_batch = kNobodys,
                 int loose = kUnclassified) const {
    const int turn = batch == nullptr ? loose : in_batch;
    const bool unasked = batch != nullptr && !scope_;
    if (unasked && (batch->annotator_id != caller_ || batch->status == S::reviewing)) {
      return Turn::never();
    }
    return {turn, turn};
  }

  const Rows& rows_;
  UserId caller_;
  std::optional<BatchId> scope_;
  Timestamp now_;
};

class Course {
 public:
  explicit Course(std::uint64_t seed) : scene_(40, seed % 2 == 0), bits_(seed) {
    films_ = scene_.service.add_dataset("Films", scene_.owner);
    scene_.service.add_items(films_, scene_.owner, 20);
    scene_.service.link(films_, scene_.project, scene_.owner);
    annotators_ = {scene_.a, scene_.b, scene_.c};
  }

  void step() {
    rows_ = scene_.rows();
    const auto dice = below(100);
    if (dice < 30) {
      take_next();
    } else if (dice < 50) {
      annotate();
    } else if (dice < 72) {
      change_task(dice);
    } else if (dice < 80) {
      lock();
    } else if (dice < 97) {
      change_batch(dice);
    } else if (dice < 99) {
      change_many();
    } else {
      scene_.service.clock.advance(20 * 60'000);
    }
  }

  BatchScene& scene() { return scene_; }
  const std::map<std::string, int>& done() const { return done_; }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(end));
  }
  Who annotator() { return annotators_.at(static_cast<std::size_t>(below(3))); }
  std::optional<Who> maybe_annotator() {
    return below(4) == 0 ? std::nullopt : std::optional(annotator());
  }
  Who who_is(std::optional<UserId> user) {
    for (const Who one : annotators_) {
      if (one.id == user) return one;
    }
    return user == scene_.reviewer.id ? scene_.reviewer : scene_.owner;
  }
  std::optional<BatchId> some_batch() {
    if (rows_.batches.empty()) return std::nullopt;
    return std::next(rows_.batches.begin(), below(static_cast<std::int64_t>(rows_.batches.size())))
        ->first;
  }
  template <class Suits>
  const TaskState* some_task(const Suits& suits) {
    std::vector<const TaskState*> found;
    for (const auto& [id, task] : rows_.tasks) {
      if (suits(task)) found.push_back(&task);
    }
    if (found.empty()) return nullptr;
    return found.at(static_cast<std::size_t>(below(static_cast<std::int64_t>(found.size()))));
  }
  const TaskState* task_at(std::initializer_list<T> statuses) {
    return some_task([&](const TaskState& task) {
      return std::find(statuses.begin(), statuses.end(), task.status) != statuses.end();
    });
  }

  // Nothing is ever refused for want of sense in the state.
  Outcome call(const std::string& name, Command command, Who who) {
    auto outcome = scene_.service.call(std::move(command), who);
    if (outcome.reply) ++done_[name];
    if (!outcome.reply) EXPECT_NE(outcome.reply.error().code, "DECISION_FAILED") << name;
    return outcome;
  }

  void take_next() {
    const Who who = annotator();
    const auto scope = below(3) == 0 ? some_batch() : std::nullopt;
    std::optional<BatchRef> named;
    if (scope) named = ref(*scope);
    const auto outcome = call("next", TakeNextTask{scene_.project, named}, who);
    if (scope) {
      const auto& batch = rows_.batches.at(*scope);
      const bool closed = !is_at_work(batch.status);
      const bool others = batch.annotator_id && batch.annotator_id != who.id;
      if (closed || others) {
        const auto code = Service::code(outcome);
        EXPECT_TRUE((closed && code == "BATCH_NOT_OPEN") || (others && code == "FORBIDDEN"))
            << code;
        return;
      }
    }
    ASSERT_TRUE(outcome.reply) << outcome.reply.error().message;
    check_offer(Law(rows_, who.id, scope, scene_.service.clock.now()), outcome.reply.value(), who);
  }

  void check_offer(const Law& law, const Reply& reply, Who who) {
    const TaskState* best = nullptr;
    for (const auto& [id, task] : rows_.tasks) {
      if (best == nullptr || before(law.turn_of(task), task, law.turn_of(*best), *best)) {
        best = &task;
      }
    }
    const Turn best_turn = law.turn_of(*best);
    if (std::holds_alternative<commands::NoTask>(reply)) {
      EXPECT_EQ(best_turn.last, Turn::kNever) << told(*best) << " is not offered";
      return;
    }
    const auto& view = std::get<TaskView>(reply);
    const auto& given = rows_.tasks.at(view.id);
    const Turn turn = law.turn_of(given);
    ASSERT_TRUE(turn.offered()) << view.display_id << " was not to be had";
    EXPECT_LE(turn.first, best_turn.last) << told(given) << " is offered before " << told(*best);
    if (turn.first == kUnclassified && best_turn.last == kUnclassified) {
      EXPECT_EQ(given.number, best->number) << "the oldest first";
    }
    ASSERT_TRUE(view.lock);
    EXPECT_EQ(view.lock->user_id, who.id);
    EXPECT_EQ(view.lock->expires_at, scene_.service.clock.now() + kDefaultLockMs);
    EXPECT_EQ(view.status, given.status == T::rejected ? T::rejected : T::in_progress);
    // Rejected work of nobody is its reader's once they take it up.
    const bool read_first = given.status == T::rejected && !given.assignee_id;
    if (turn.first != kHeld && !read_first) EXPECT_EQ(view.assignee_id, who.id);
  }
  std::string told(const TaskState& task) const {
    const auto* batch = rows_.batch_of(task);
    std::string text = "T-" + std::to_string(task.number) + " " + to_string(task.status);
    if (task.skipped_at) text += ", skipped";
    if (batch == nullptr) return text;
    return text + ", in B-" + std::to_string(batch->number) + " " + to_string(batch->status);
  }
  static bool before(Turn a, const TaskState& at, Turn b, const TaskState& bt) {
    return a.last != b.last ? a.last < b.last : at.number < bt.number;
  }

  void annotate() {
    const auto now = scene_.service.clock.now();
    const auto* held =
        some_task([&](const TaskState& task) { return task.live_lock(now) != nullptr; });
    if (held == nullptr || below(10) == 0) held = some_task([](const auto&) { return true; });
    const auto* lock = held->live_lock(now);
    const Who who = lock != nullptr ? who_is(lock->user_id) : annotator();
    std::vector<Shape> shapes(static_cast<std::size_t>(below(2)), BatchScene::box());
    call("annotate", AddAnnotations{held->id, std::move(shapes), below(4) != 0}, who);
  }

  void change_task(std::int64_t dice) {
    const TaskState* task = nullptr;
    if (dice < 56) {
      task = task_at({T::submitted, T::review});
      if (task != nullptr) call("approve", ApproveTask{task->id}, scene_.reviewer);
    } else if (dice < 63) {
      task = task_at({T::submitted, T::review});
      if (task != nullptr) {
        call("reject", RejectTask{task->id, RejectReason::extra, {}}, scene_.reviewer);
      }
    } else if (dice < 65) {
      task = task_at({T::rejected});
      if (task != nullptr) call("accept", AcceptRejection{task->id}, who_is(task->assignee_id));
    } else if (dice < 67) {
      task = task_at({T::completed});
      if (task != nullptr) call("reopen", ReopenTask{task->id}, scene_.reviewer);
    } else {
      task = task_at({T::assigned, T::in_progress, T::rejected});
      if (task != nullptr) call("skip", SkipTask{task->id, {}}, who_is(task->assignee_id));
    }
  }

  void lock() {
    const auto now = scene_.service.clock.now();
    if (below(2) == 0) {
      const auto* task = some_task([](const auto&) { return true; });
      call("lock", LockTask{task->id}, below(5) == 0 ? scene_.reviewer : annotator());
    } else if (const auto* held = some_task(
                   [&](const TaskState& task) { return task.live_lock(now) != nullptr; })) {
      call("unlock", UnlockTask{held->id}, who_is(held->lock->user_id));
    }
  }

  void change_batch(std::int64_t dice) {
    const auto id = some_batch();
    if (dice < 83 || !id) {
      auto wish = scene_.wish(maybe_annotator(), 1 + below(8));
      if (below(3) == 0) wish.of_dataset = below(2) == 0 ? films_ : scene_.dataset;
      call("create", wish, scene_.owner);
      return;
    }
    const BatchRef batch = ref(*id);
    if (dice < 86) {
      call("assign", scene_.assign(batch, maybe_annotator()), scene_.owner);
    } else if (dice < 88) {
      call("add", AddBatchTasks{scene_.project, batch, {}, {}, 1 + below(3)}, scene_.owner);
    } else if (dice < 89) {
      const auto* task = some_task([&](const TaskState& one) { return one.batch_id == id; });
      if (task == nullptr) return;
      call("take out", RemoveBatchTasks{scene_.project, batch, {task->id}}, scene_.owner);
    } else if (dice < 95) {
      // The moves that keep work going come more often.
      const auto& state = rows_.batches.at(*id);
      const bool resting =
          state.status == S::draft || state.status == S::rejected || state.status == S::archived;
      const auto target = resting ? S::active : static_cast<S>(below(7));
      call("move", scene_.move(batch, target), scene_.owner);
    } else if (dice < 96) {
      call("reset", ResetBatch{scene_.project, batch, "start it over"}, scene_.owner);
    } else {
      call("delete", DeleteBatch{scene_.project, batch, {}}, scene_.owner);
    }
  }

  void change_many() {
    std::vector<BatchRef> named{batch_ref_from("B-DEFAULT")};
    for (int i = 0; i < 3; ++i) {
      if (const auto id = some_batch()) named.push_back(ref(*id));
    }
    switch (below(5)) {
      case 0:
        call("bulk activate", ChangeBatches{scene_.project, BulkAction::activate, named},
             scene_.owner);
        break;
      case 1:
        call("bulk archive", ChangeBatches{scene_.project, BulkAction::archive, named},
             scene_.owner);
        break;
      case 2:
        call("bulk delete", ChangeBatches{scene_.project, BulkAction::remove, named}, scene_.owner);
        break;
      case 3:
        call("bulk reassign",
             ReassignBatches{scene_.project, named, Patch<UserId>(annotator().id), {}, {}},
             scene_.owner);
        break;
      default:
        call("distribute",
             DistributeBatches{scene_.project,
                               {scene_.a.id, scene_.b.id},
                               {scene_.reviewer.id},
                               DistributeScope::unassigned,
                               {}},
             scene_.owner);
    }
  }

  BatchScene scene_;
  std::mt19937_64 bits_;
  DatasetId films_;
  std::vector<Who> annotators_;
  Rows rows_;  // before the step
  std::map<std::string, int> done_;
};

class BatchRun : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BatchRun, keeps_the_law_the_counts_and_the_state) {
  constexpr int kSteps = 3000;
  Course run(GetParam());
  for (int step = 0; step < kSteps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    run.step();
    if (step % 25 == 0) run.scene().rows().expect_counted();
    if (step == kSteps / 2) run.scene().service.restart();
    if (::testing::Test::HasFailure()) return;
  }
  run.scene().rows().expect_counted();
  for (const std::string name :
       {"next",        "annotate",      "approve",   "reject", "accept",        "reopen",
        "skip",        "lock",          "unlock",    "create", "assign",        "add",
        "take out",    "move",          "reset",     "delete", "bulk activate", "bulk archive",
        "bulk delete", "bulk reassign", "distribute"}) {
    EXPECT_TRUE(run.done().contains(name)) << name << " never worked";
  }
  run.scene().service.expect_refold_gives_the_same();
}

INSTANTIATE_TEST_SUITE_P(Seeds, BatchRun, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace annolog::testing::batch_run_test
