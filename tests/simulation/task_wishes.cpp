// What the users of a simulation wish of tasks.
#include <algorithm>

#include "tests/simulation/simulation.hpp"

namespace annolog::testing {

void Simulation::task_step() {
  const auto u = pick(users_.size());
  const auto t = pick(ids_.size());
  const ModelUser user = users_[u];
  ModelTask& task = model_.tasks[t];
  switch (pick(13)) {
    case 0:
    case 1: return next(u);
    case 2: return check(LockTask{ids_[t]}, u, t, [&] { return model_.lock(user, task); });
    case 3: return check(UnlockTask{ids_[t]}, u, t, [&] { return model_.unlock(user, task); });
    case 4: return annotate(u, t, chance(50));
    case 5: return remove(u, t);
    case 6:
    case 7: return review(u, t);
    case 8: return restore(u, t);
    case 9:
      return check(SubmitForReview{ids_[t]}, u, t,
                   [&] { return model_.send_to_review(user, task); });
    case 10:
      return check(AcceptRejection{ids_[t]}, u, t, [&] { return model_.accept(user, task); });
    case 11:
      return check(SkipTask{ids_[t], "unclear"}, u, t, [&] { return model_.skip(user, task); });
    default: return check(ReopenTask{ids_[t]}, u, t, [&] { return model_.reopen(user, task); });
  }
}

template <class Expect>
void Simulation::check(const Command& command, std::size_t u, std::size_t t, Expect expect) {
  const auto outcome = call(command, whos_[u]);
  const std::string before = model_.tasks[t].status;
  const std::string expected = expect();
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

void Simulation::annotate(std::size_t u, std::size_t t, bool submit) {
  // Work gets done at all when the one who holds the task goes on with it.
  const auto& lock = model_.tasks[t].lock;
  if (lock && chance(50)) {
    for (std::size_t i = 0; i < users_.size(); ++i) u = users_[i].id == lock->user ? i : u;
  }
  const int shapes = static_cast<int>(pick(4));
  AddAnnotations wish{ids_[t], {}, submit};
  for (int i = 0; i < shapes; ++i) {
    Shape shape;
    shape.class_name = chance(50) ? "car" : "bus";
    shape.geometry = Bbox{0.1, 0.1, 0.5, 0.5};
    wish.shapes.push_back(std::move(shape));
  }
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.annotate(users_[u], model_.tasks[t], shapes, submit))
      << "annotations on T-" << t + 1 << " by user " << users_[u].id;
  if (!outcome.reply) return;
  const auto& added = std::get<commands::AnnotationsAdded>(outcome.reply.value());
  compare(added.task, t);
  for (const auto& annotation : added.annotations) annotations_[t].push_back(annotation.id);
}

void Simulation::remove(std::size_t u, std::size_t t) {
  if (annotations_[t].empty()) return;
  const auto at = pick(annotations_[t].size());
  const DeleteAnnotation wish{ids_[t], annotations_[t][at], std::nullopt};
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.remove_one(users_[u], model_.tasks[t]));
  compare_task(*service_.log->state(shard()), t);
  if (!outcome.reply) return;
  move_one(annotations_[t], at, deleted_[t]);
  EXPECT_EQ(Service::code(service_.call(wish, whos_[u])), "NOT_FOUND");
}

void Simulation::restore(std::size_t u, std::size_t t) {
  if (deleted_[t].empty()) return;
  const auto at = pick(deleted_[t].size());
  const RestoreAnnotation wish{ids_[t], deleted_[t][at], std::nullopt};
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.restore_one(users_[u], model_.tasks[t]));
  compare_task(*service_.log->state(shard()), t);
  if (!outcome.reply) return;
  ++met_["restored"];
  move_one(deleted_[t], at, annotations_[t]);
  EXPECT_EQ(Service::code(service_.call(wish, whos_[u])), "ANNOTATION_NOT_DELETED");
}

void Simulation::move_one(std::vector<AnnotationId>& from, std::size_t at,
                          std::vector<AnnotationId>& to) {
  to.push_back(from[at]);
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
}

void Simulation::review(std::size_t u, std::size_t t) {
  // Often one that waits for it, and now and then by who submitted it.
  const auto waits = [&] {
    const auto& status = model_.tasks[t].status;
    return status == "submitted" || status == "review";
  };
  const bool any = chance(40);
  for (std::size_t i = 0; i < ids_.size() && !any && !waits(); ++i) t = (t + 1) % ids_.size();
  if (const auto by = model_.tasks[t].submitted_by; by != 0 && chance(25)) {
    for (std::size_t i = 0; i < users_.size(); ++i) u = users_[i].id == by ? i : u;
  }
  const bool approve = chance(60);
  const Command wish = approve ? Command(ApproveTask{ids_[t]})
                               : Command(RejectTask{ids_[t], RejectReason::missing, "again"});
  check(wish, u, t, [&] { return model_.review(users_[u], model_.tasks[t], approve); });
}

}  // namespace annolog::testing
