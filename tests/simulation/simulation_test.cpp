// Seeded random users against an independent model: a few long courses of many people, and
// thousands of short ones. A failing seed is printed with the command that replays it;
// ANNOLOG_SIMULATION_RUNS says how many short ones there are.
#include <cstdlib>
#include <iostream>

#include "tests/simulation/simulation.hpp"

namespace annolog::testing::simulation_test {
namespace {

constexpr std::uint64_t kParts = 8;  // of the short courses, so that they run beside each other

std::optional<std::uint64_t> number_from(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

std::optional<std::uint64_t> only_seed() { return number_from("ANNOLOG_SIMULATION_SEED"); }

std::vector<std::uint64_t> long_seeds() {
  if (const auto one = only_seed()) return {*one};
  return {1, 2, 3, 4, 5, 6, 7, 8};
}

void tell_replay(std::uint64_t seed, const char* suite) {
  std::cerr << "replay with ANNOLOG_SIMULATION_SEED=" << seed << " simulation --gtest_filter='*"
            << suite << "*'\n";
}

class Users : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Users, do_what_the_model_says) {
  Course course;
  course.seed = GetParam();
  Simulation simulation(course);
  simulation.run();
  // A run that never met these would prove little.
  for (const char* what : {"ok",
                           "FORBIDDEN",
                           "INVALID_TRANSITION",
                           "TASK_LOCKED",
                           "SELF_REVIEW",
                           "TASK_NOT_HELD",
                           "TASK_NOT_EDITABLE",
                           "TASK_ASSIGNED",
                           "BATCH_NOT_OPEN",
                           "BATCH_NOT_FILLABLE",
                           "VALIDATION_ERROR",
                           "TASK_IN_OTHER_BATCH",
                           "VERSION_MISMATCH",
                           "edited",
                           "restored",
                           "class renamed",
                           "skipped",
                           "replayed",
                           "next in a batch",
                           "begun by work",
                           "freed by people",
                           "to active",
                           "to archived",
                           "member came back",
                           "PROJECT_ARCHIVED",
                           "taken up again",
                           "unlinked"}) {
    const auto found = simulation.met().find(what);
    EXPECT_TRUE(found != simulation.met().end() && found->second > 0) << what;
  }
  if (HasFailure()) tell_replay(course.seed, "Users");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Users, ::testing::ValuesIn(long_seeds()));

// Few tasks and people, so that they get in each other's way at once; a shard less to open.
Course short_course(std::uint64_t seed) {
  Course course;
  course.seed = seed;
  course.tasks = 4;
  course.more_tasks = 2;
  course.steps = 60;
  course.restart_every = seed % 8 == 0 ? 25 : 1000;
  course.compare_every = 15;
  course.is_crowded = false;
  course.refolds = seed % 4 == 0;
  course.service.shards = 1;
  course.service.runtime.writers = 1;
  return course;
}

class ManyCourses : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ManyCourses, go_as_the_model_says) {
  std::vector<std::uint64_t> seeds;
  if (const auto one = only_seed()) {
    if (GetParam() == 0) seeds.push_back(*one);
  } else {
    const auto runs = number_from("ANNOLOG_SIMULATION_RUNS").value_or(2000);
    const auto end = runs * (GetParam() + 1) / kParts;
    for (auto seed = runs * GetParam() / kParts; seed < end; ++seed) seeds.push_back(seed);
  }
  std::map<std::string, int> met;
  for (const auto seed : seeds) {
    Simulation simulation(short_course(seed));
    simulation.run();
    for (const auto& [what, times] : simulation.met()) met[what] += times;
    if (HasFailure()) return tell_replay(seed, "ManyCourses");
  }
  if (seeds.size() < 200) return;  // too few to have met everything
  for (const char* what : {"BATCH_NEEDS_ANNOTATOR",
                           "BATCH_EMPTY",
                           "BATCH_TASKS_OPEN",
                           "REASON_REQUIRED",
                           "TASK_NOT_IN_BATCH",
                           "TASK_ASSIGNED",
                           "NOT_FOUND",
                           "none_assigned",
                           "skipped",
                           "next of skipped",
                           "begun by work",
                           "freed by people",
                           "bulk done",
                           "bulk failed",
                           "reassigned",
                           "reassigned nothing",
                           "CLASS_NAME_TAKEN",
                           "edited",
                           "restored",
                           "distributed",
                           "reset",
                           "member came back",
                           "PROJECT_ARCHIVED",
                           "taken up again",
                           "unlinked",
                           "gone with its tasks",
                           "lock expired"}) {
    EXPECT_GE(met[what], 1) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, ManyCourses, ::testing::Range<std::uint64_t>(0, kParts));

}  // namespace
}  // namespace annolog::testing::simulation_test
