// What the users of a simulation wish of the project itself: its members, its archive, its
// datasets.
#include <thread>

#include "tests/simulation/simulation.hpp"

namespace annolog::testing {

void Simulation::project_step() {
  if (model_.archived && chance(60)) return archive(boss());
  const auto dice = pick(10);
  if (dice < 5) return change_members();
  if (dice < 7) return archive(boss());
  if (dice < 9 || !second_tasks_.empty() || model_.archived) return unlink(boss());
  link_second();
}

// What they hold and have stays theirs, whatever others do with it meanwhile. One at a time is
// away, so that the work goes on.
void Simulation::change_members() {
  if (away_) {
    service_.add_member(project_, whos_[0], whos_[away_->first]);
    set_rank(away_->first, away_->second);
    away_.reset();
    ++met_["member came back"];
    return;
  }
  const std::size_t u = 1 + pick(users_.size() - 1);  // the owner stays
  service_.must<std::monostate>(RemoveMember{project_, whos_[u].id}, whos_[0]);
  away_ = {u, users_[u].rank};
  set_rank(u, ModelUser::kStranger);
  ++met_["member left"];
}

void Simulation::archive(std::size_t u) {
  const bool away = !model_.archived;
  UpdateProject wish;
  wish.project_id = project_;
  wish.status = away ? ProjectStatus::archived : ProjectStatus::in_progress;
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.archive(users_[u], away)) << "by user " << users_[u].id;
  if (outcome.reply) ++met_[away ? "archived" : "taken up again"];
}

void Simulation::unlink(std::size_t u) {
  UnlinkDataset wish{project_, second_, 0};  // 0: it is not linked
  if (!second_tasks_.empty()) {
    const commands::ReadLink read{second_, project_};
    wish.link = service_.must<commands::LinkProgress>(read, kSystem).link;
  }
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.unlink(users_[u], second_tasks_))
      << "by user " << users_[u].id;
  if (!outcome.reply) return;
  while (service_.must<commands::Remains>(commands::ReadUnlinking{project_, second_}, kSystem).any)
    std::this_thread::yield();
  const auto state = service_.log->state(shard());
  for (const auto t : std::exchange(second_tasks_, {})) compare_task(*state, t);
  ++met_["unlinked"];
}

void Simulation::link_second() {
  service_.link(second_, project_, whos_[0]);
  second_tasks_ = find_tasks();
  ++met_["linked"];
}

}  // namespace annolog::testing
