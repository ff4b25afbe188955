// Projectors that die, are cut off or fight: every event counts exactly once.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::exactly_once_test {
namespace {

constexpr std::int64_t kRounds = 300;

void start_project(World& world) {
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
}

// Each round adds two boxes to a task: counts and versions tell a lost or doubled batch.
void annotate(World& world, std::int64_t round) {
  world.append(kProjectShard, {boxes_added(TaskId{100 + round % 10}, 1000 + round * 2, 2)},
               {7, kStartMs + round});
}

void expect_all_counted_once(World& world) {
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(annotation_count) FROM tasks"),
            std::to_string(kRounds * 2));
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annotations"),
            std::to_string(kRounds * 2));
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(version) FROM tasks"),
            std::to_string(kRounds + 10));
}

TEST(ExactlyOnce, WhileItsConnectionIsKilledAgainAndAgain) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(5);
  start_project(world);
  world.start();
  std::atomic<bool> done{false};
  std::thread killer([&] {
    const auto connection = connect_to(cluster_url());
    const std::string sql =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
        "application_name = 'annolog-projector' AND datname = '" +
        world.database.name() + "'";
    while (!done) connection->execute({"kill", sql.c_str()});
  });
  for (std::int64_t round = 0; round < kRounds; ++round) annotate(world, round);
  while (world.metrics
             .counter({"annolog_projection_failures_total",
                       "Batches or connections that failed and were tried again."})
             .value() < 5) {
    std::this_thread::yield();
  }
  done = true;
  killer.join();
  world.settle();
  expect_all_counted_once(world);
}

TEST(ExactlyOnce, WhenAListenerFails) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(5);
  std::atomic<std::int64_t> heard{0};
  world.listeners.push_back([](std::span<const AppliedEvent>) { throw std::runtime_error("no"); });
  world.listeners.push_back([&](std::span<const AppliedEvent> events) {
    heard += static_cast<std::int64_t>(events.size());
  });
  start_project(world);
  world.start();
  for (std::int64_t round = 0; round < kRounds; ++round) annotate(world, round);
  world.settle();
  expect_all_counted_once(world);
  EXPECT_EQ(heard, kRounds + 2);
}

TEST(ExactlyOnce, WhenTwoProjectorsFollowOneLog) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(3);
  start_project(world);
  world.start();
  ReadBarrier other_barrier(kShards);
  ProjectorOptions options;
  options.database_url = world.database.url();
  options.batch_records = 3;
  options.retry_least_ms = 1;
  options.retry_most_ms = 5;
  Projector other(
      {*world.log, other_barrier, world.clock, world.logger, world.metrics, world.unseal}, options);
  other.start();
  for (std::int64_t round = 0; round < kRounds; ++round) annotate(world, round);
  world.settle();
  other.stop();
  expect_all_counted_once(world);
}

TEST(ExactlyOnce, OverARestart) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_project(world);
  for (std::int64_t round = 0; round < kRounds; ++round) {
    if (round % 100 == 0) {
      world.stop();
      world.start();
    }
    annotate(world, round);
  }
  world.settle();
  expect_all_counted_once(world);
}

// Nobody is connected when this returns, and nobody can connect.
void close_database(PgConnection& cluster, const std::string& name) {
  cluster.run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
  const std::string sql =
      "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
      "WHERE datname = '" +
      name + "'";
  cluster.run(sql);
}

TEST(Projector, AppliesAgainWhatPostgreSqlLostInACrash) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  std::atomic<std::int64_t> heard{0};
  world.listeners.push_back([&](std::span<const AppliedEvent> events) {
    heard += static_cast<std::int64_t>(events.size());
  });
  start_project(world);
  world.start();
  world.settle();
  const std::string name = world.database.name();
  const auto cluster = connect_to(cluster_url());
  close_database(*cluster, name);
  cluster->run("CREATE DATABASE " + name + "_before TEMPLATE " + name);
  cluster->run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
  for (std::int64_t round = 0; round < kRounds; ++round) annotate(world, round);
  world.settle();
  // The database as it was before those rounds takes the place of the one that has them.
  close_database(*cluster, name);
  cluster->run("ALTER DATABASE " + name + " RENAME TO " + name + "_after");
  cluster->run("ALTER DATABASE " + name + "_before RENAME TO " + name);
  while (!world.projector->healthy() ||
         ask(world.database.url(), "SELECT count(*) FROM annotations") == "0") {
    std::this_thread::yield();
  }
  world.settle();
  expect_all_counted_once(world);
  world.stop();
  EXPECT_EQ(heard, kRounds + 2);
  cluster->run("DROP DATABASE " + name + "_after WITH (FORCE)");
}

TEST(Projector, SaysThatPostgreSqlIsAwayAndCatchesUpByItself) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_project(world);
  const auto cluster = connect_to(cluster_url());
  cluster->run("ALTER DATABASE " + world.database.name() + " ALLOW_CONNECTIONS false");
  world.start();
  while (world.logged("can't be kept up to date") < 3) std::this_thread::yield();
  EXPECT_FALSE(world.projector->healthy());
  EXPECT_GT(world.projector->lag_records(), 0U);
  EXPECT_FALSE(world.projector->detail().empty());
  cluster->run("ALTER DATABASE " + world.database.name() + " ALLOW_CONNECTIONS true");
  world.settle();
  EXPECT_TRUE(world.projector->healthy());
}

TEST(Projector, StopsThoughPostgreSqlDoesNotAnswer) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_project(world);
  world.start();
  world.settle();
  // Another session holds the row that every batch asks for first.
  const auto blocker = connect_to(world.database.url());
  blocker->run("BEGIN; SELECT 1 FROM annolog.read_models FOR UPDATE");
  annotate(world, 0);
  const std::string waits =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
      "'annolog-projector' AND wait_event_type = 'Lock' AND datname = "
      "current_database()";
  while (ask(world.database.url(), waits) == "0") std::this_thread::yield();
  world.stop();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annotations"), "0");
}

}  // namespace
}  // namespace annolog::projections::testing::exactly_once_test
