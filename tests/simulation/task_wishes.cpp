// What the users of a simulation wish of tasks.
#include <algorithm>

#include "tests/simulation/simulation.hpp"

namespace annolog::testing {

// Most often one that is there.
std::size_t Simulation::some_task() {
  const bool any = chance(5);
  std::size_t found = pick(ids_.size());
  while (!any && model_.tasks[found].gone) found = pick(ids_.size());
  return found;
}

void Simulation::task_step() {
  const auto u = pick(users_.size());
  const auto t = some_task();
  const ModelUser user = users_[u];
  ModelTask& task = model_.tasks[t];
  switch (pick(15)) {
    case 0:
    case 1: return next(u);
    case 2: return check(LockTask{ids_[t]}, u, t, [&] { return model_.lock(user, task); });
    case 3: return check(UnlockTask{ids_[t]}, u, t, [&] { return model_.unlock(user, task); });
    case 4: return annotate(u, t, chance(50));
    case 5: return remove(u);
    case 6:
    case 7: return review(u, t);
    case 8: return restore(u);
    case 9:
      return check(SubmitForReview{ids_[t]}, u, t,
                   [&] { return model_.send_to_review(user, task); });
    case 10:
      return check(AcceptRejection{ids_[t]}, u, t, [&] { return model_.accept(user, task); });
    case 11:
      return check(SkipTask{ids_[t], "unclear"}, u, t, [&] { return model_.skip(user, task); });
    case 12:
    case 13: return edit(u);
    default: return check(ReopenTask{ids_[t]}, u, t, [&] { return model_.reopen(user, task); });
  }
}

template <class Expect>
void Simulation::check(const Command& command, std::size_t u, std::size_t t, Expect expect) {
  const auto outcome = call(command, whos_[u]);
  const std::string before = model_.tasks[t].status;
  const std::string expected = model_.tasks[t].gone ? "NOT_FOUND" : expect();
  EXPECT_EQ(Service::code(outcome), expected)
      << "command " << command.index() << " on T-" << t + 1 << " " << before << " by user "
      << users_[u].id << " of rank " << users_[u].rank;
  compare_task(*service_.log->state(shard()), t);
  if (!outcome.reply) return;
  if (std::holds_alternative<SkipTask>(command)) ++met_["skipped"];
  if (const auto* view = std::get_if<TaskView>(&outcome.reply.value())) compare(*view, t);
}

void Simulation::next(std::size_t u) {
  const auto b = !batch_ids_.empty() && chance(40) ? some_batch() : kNoBatch;
  TakeNextTask wish{project_, {}};
  if (b != kNoBatch) wish.batch = ref(b);
  const auto outcome = call(wish, whos_[u]);
  const std::string verdict = model_.may_take_next(users_[u], b);
  ASSERT_EQ(Service::code(outcome), verdict) << "next by user " << users_[u].id;
  if (!outcome.reply) return;
  const auto offered = model_.offered(users_[u], b);
  const auto* view = std::get_if<TaskView>(&outcome.reply.value());
  if (view == nullptr) {
    const auto& none = std::get<commands::NoTask>(outcome.reply.value());
    EXPECT_TRUE(offered.empty()) << "T-" << *offered.begin() + 1 << " is not offered";
    EXPECT_EQ(none.reason, model_.why_none(b));
    ++met_[none.reason];
    return;
  }
  const auto found = std::find(ids_.begin(), ids_.end(), view->id);
  const auto t = static_cast<std::size_t>(found - ids_.begin());
  ASSERT_TRUE(offered.contains(t)) << view->display_id << " is offered to user " << users_[u].id;
  model_.take_next(users_[u], t);
  compare(*view, t);
  compare_task(*service_.log->state(shard()), t);
}

void Simulation::review(std::size_t u, std::size_t t) {
  // Often one that waits for it, and now and then by who submitted it.
  const auto waits = [&] {
    const auto& status = model_.tasks[t].status;
    return !model_.tasks[t].gone && (status == "submitted" || status == "review");
  };
  const bool any = chance(40);
  for (std::size_t i = 0; i < ids_.size() && !any && !waits(); ++i) t = (t + 1) % ids_.size();
  if (const auto by = model_.tasks[t].submitted_by; by != 0 && chance(25)) u = place_of(by, u);
  const bool approve = chance(60);
  const Command wish = approve ? Command(ApproveTask{ids_[t]})
                               : Command(RejectTask{ids_[t], RejectReason::missing, "again"});
  check(wish, u, t, [&] { return model_.review(users_[u], model_.tasks[t], approve); });
}

}  // namespace annolog::testing
