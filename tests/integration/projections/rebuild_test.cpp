#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "projections/annotations/queries.hpp"
#include "projections/engine/rebuild_foreign.hpp"
#include "projections/tasks/queries.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::rebuild_test {
namespace {

void fill(World& world, std::int64_t rounds) {
  world.append(0, {user_created(7, Role::super_admin, "Ada")});
  world.append(kDatasetShard, {dataset_created(), DatasetLinked{kDataset, kProject}});
  world.append(kProjectShard, {project_created(), tasks_created(100, 20)});
  for (std::int64_t round = 0; round < rounds; ++round) {
    const TaskId task{100 + round % 20};
    world.append(kProjectShard,
                 {boxes_added(task, 1000 + round * 3, 3), TaskSubmitted{kProject, task, UserId{7}}},
                 {7, kStartMs + round});
  }
}

void apply_all(World& world) {
  world.start();
  world.settle();
  world.stop();
}

TEST(Rebuild, GivesTheSameRowsAsTheLiveModels) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(10);
  fill(world, 100);
  apply_all(world);
  const std::string live = world.dump();
  const auto report = world.rebuild();
  EXPECT_EQ(report.records, 2U + 1U + 2U + 200U);
  EXPECT_EQ(report.generation, 2);
  EXPECT_EQ(world.dump(), live);
  EXPECT_EQ(
      ask(world.database.url(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'read\\_%'"),
      "1");
}

TEST(Rebuild, OneRightAfterAnother) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 5);
  for (int i = 0; i < 10; ++i) EXPECT_NO_THROW(world.rebuild()) << i;
}

TEST(Rebuild, WhileTheProjectorRunsAndReadersRead) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world(20);
  fill(world, 50);
  world.start();
  world.settle();
  std::atomic<bool> done{false};
  std::atomic<std::int64_t> reads{0};
  std::thread reader([&] {
    const TaskQueries tasks(*world.pool);
    std::int64_t last = 0;
    while (!done) {
      const auto task = tasks.find(TaskId{100}, {0});
      ASSERT_TRUE(task);
      ASSERT_GE(task->version, last) << "a reader saw time go back";
      last = task->version;
      ++reads;
    }
  });
  std::thread writer([&] {
    while (!done) {
      world.append(kProjectShard, {TaskLocked{kProject, TaskId{100}, UserId{7}, {kStartMs}}});
      world.settle();
    }
  });
  try {
    for (int i = 0; i < 3; ++i) world.rebuild();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();  // the threads are joined first, whatever came
  }
  done = true;
  reader.join();
  writer.join();
  world.settle();
  EXPECT_GT(reads, 0);
  const std::string live = world.dump();
  world.stop();
  world.rebuild();
  EXPECT_EQ(world.dump(), live);
}

TEST(Rebuild, AnnouncesWhatItAppliedBeforeTheProjectorDid) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  std::atomic<std::uint64_t> heard{0};
  world.listeners.push_back([&](std::span<const AppliedEvent> events) { heard += events.size(); });
  world.start();
  fill(world, 50);
  for (int i = 0; i < 3; ++i) {
    world.rebuild();
    world.append(0, {UserSignedIn{UserId{7}}});
  }
  world.settle();
  world.stop();
  EXPECT_EQ(heard, 1U + 2U + 2U + 100U + 3U);
}

TEST(Rebuild, HappensByItselfWhenTheVersionDiffers) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 10);
  apply_all(world);
  const std::string live = world.dump();
  connect_to(world.database.url())
      ->run("UPDATE annolog.read_models SET version = 0; TRUNCATE read_live.annotations");
  world.append(0, {UserSignedIn{UserId{7}}}, {7, kStartMs});
  world.start();
  world.settle();
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annotations"), "30");
  EXPECT_EQ(ask(world.database.url(), "SELECT version FROM annolog.read_models"),
            std::to_string(kReadModelVersion));
}

// Meanwhile people were let in and shut out, and webhooks made.
TEST(Rebuild, OfAStartHidesNothingFromListenersThatLiesBehindWhatTheyKnow) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 10);
  apply_all(world);
  world.known.emplace();
  for (std::uint16_t i = 0; i < kShards; ++i)
    world.known->push_back(world.log->end(eventstore::ShardId{i}));
  connect_to(world.database.url())->run("UPDATE annolog.read_models SET version = 0");
  world.append(0, {UserSignedIn{UserId{7}}});
  std::vector<std::string> heard;
  world.listeners.emplace_back([&](std::span<const AppliedEvent> events) {
    for (const auto& applied : events) heard.push_back(applied.record->headers.type);
  });
  apply_all(world);
  EXPECT_EQ(heard, std::vector<std::string>{std::string(UserSignedIn::kType)});
}

TEST(Rebuild, OfForeignReadModelsComesBeforeAnybodyReadsThem) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 10);
  apply_all(world);
  const std::string live = world.dump();
  const auto prepare = [&] {
    rebuild_foreign_read_models(*world.log, world.unseal, world.logger,
                                {.database_url = world.database.url()});
  };
  const auto connection = connect_to(world.database.url());
  for (const auto& [spoil, reason] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE annolog.read_models SET log_id = 'another'", "they follow another log"},
           {"UPDATE annolog.checkpoints SET position = position + 1 WHERE shard = 1",
            "they are ahead of the log"}}) {
    connection->run(spoil + "; TRUNCATE read_live.annotations");
    prepare();
    EXPECT_EQ(world.logged(reason), 1U);
    EXPECT_EQ(world.dump(), live) << reason;
  }
  prepare();
  EXPECT_EQ(world.logged("rebuilding the read models before the start"), 2U) << "of its own: none";
}

TEST(Rebuild, HappensByItselfForAnotherLog) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 10);
  apply_all(world);
  connect_to(world.database.url())->run("UPDATE annolog.read_models SET log_id = 'another'");
  world.start();
  world.append(0, {UserSignedIn{UserId{7}}});
  world.settle();
  EXPECT_EQ(world.logged("they follow another log"), 1U);
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annotations"), "30");
}

TEST(Rebuild, CanBeCancelledAndLeavesTheLiveModels) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 10);
  apply_all(world);
  const std::string live = world.dump();
  EXPECT_THROW(rebuild_read_models(*world.log, world.unseal, world.logger,
                                   {.database_url = world.database.url(),
                                    .on_progress = {},
                                    .cancelled = [] { return true; }}),
               RebuildCancelled);
  EXPECT_EQ(world.dump(), live);
  EXPECT_NO_THROW(world.rebuild());
}

TEST(Rebuild, RefusesASecondOneAtTheSameTime) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, 5);
  bool refused = false;
  rebuild_read_models(*world.log, world.unseal, world.logger,
                      {.database_url = world.database.url(),
                       .on_progress =
                           [&](const RebuildProgress&) {
                             try {
                               world.rebuild();
                             } catch (const RebuildRefused&) {
                               refused = true;
                             }
                           },
                       .cancelled = {}});
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace annolog::projections::testing::rebuild_test
