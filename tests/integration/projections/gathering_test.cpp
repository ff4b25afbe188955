// A busy stream gathers to fewer batches, and never while somebody waits.
#include <gtest/gtest.h>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::gathering_test {
namespace {

constexpr std::int64_t kLongerThanAnyTest = 3'600'000;

double batches(World& world) {
  return world.metrics.counter({"annolog_projection_batches_total", "Batches committed."}).value();
}

TEST(Gathering, JoinsWhatComesAfterABatchUntilAReaderWaits) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(2'000, kLongerThanAnyTest);
  world.busy_per_s = 0;
  world.start();
  world.append(0, {user_created(1, Role::viewer, "Ada")});
  world.settle();  // a reader that waits
  const double before = batches(world);
  for (int i = 2; i < 10; ++i) {
    world.append(0, {user_created(i, Role::viewer, "User " + std::to_string(i))});
  }
  EXPECT_EQ(batches(world), before) << "nobody waits yet";
  world.settle();
  EXPECT_EQ(batches(world), before + 1);
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM users"), "9");
}

// Asks the barrier without waiting in it: nobody is in a hurry.
void await_applied(World& world, std::uint64_t offset) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (world.barrier.applied(eventstore::ShardId{0}).value < offset) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST(Gathering, EndsWithAFullBatch) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(5, kLongerThanAnyTest);
  world.busy_per_s = 0;
  for (int i = 1; i <= 20; ++i) {
    world.append(0, {user_created(i, Role::viewer, "User " + std::to_string(i))});
  }
  world.start();
  await_applied(world, 20);
}

TEST(Gathering, IsForBusyStreamsAlone) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(2'000, kLongerThanAnyTest);
  world.start();
  for (int i = 1; i <= 4; ++i) {
    world.append(0, {user_created(i, Role::viewer, "User " + std::to_string(i))});
    await_applied(world, static_cast<std::uint64_t>(i));
  }
}

TEST(Gathering, EndsWithTheProjector) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(2'000, kLongerThanAnyTest);
  world.busy_per_s = 0;
  world.start();
  world.append(0, {user_created(1, Role::viewer, "Ada")});
  world.settle();
  world.append(0, {user_created(2, Role::viewer, "Bob")});
  world.stop();  // returns
}

// PostgreSQL leaves the processor to others between two of them.
TEST(Gathering, ManyNewTasksComeInSmallBatches) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(10);
  world.births_max = 5;
  world.append(kProjectShard, {project_created()});
  for (int i = 0; i < 19; ++i) {
    world.append(kProjectShard, {tasks_created(100 + 5 * i, 5)});
  }
  world.start();
  world.settle();
  EXPECT_EQ(batches(world), 1 + 10) << "the first ten records, then each alone";
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM tasks"), "95");
}

}  // namespace
}  // namespace annolog::projections::testing::gathering_test
