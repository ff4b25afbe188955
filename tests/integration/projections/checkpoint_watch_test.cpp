// How far the read models are, told by PostgreSQL, whoever applies the events.
#include "projections/engine/checkpoint_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::checkpoint_watch_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;

// What a watch tells, and waiting for it.
class Heard {
 public:
  explicit Heard(World& world) : world_(world) {}

  CheckpointWatch::Handlers handlers() {
    return {.reached =
                [this](ShardId shard, Offset at, bool settled) {
                  const std::lock_guard guard(mutex_);
                  if (!settled) ++unsettled_;
                  settled_.at(shard.value) = settled;
                  at_.at(shard.value) = at;
                  ++told_.at(shard.value);
                  changed_.notify_all();
                },
            .lost =
                [this] {
                  const std::lock_guard guard(mutex_);
                  ++lost_;
                  told_.assign(kShards, 0);
                  changed_.notify_all();
                },
            .regained =
                [this] {
                  const std::lock_guard guard(mutex_);
                  ++regained_;
                  for (const int told : told_) EXPECT_GT(told, 0) << "before every shard was told";
                  changed_.notify_all();
                }};
  }
  template <class Holds>
  bool wait_for(const Holds& holds) {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, std::chrono::minutes(1), holds);
  }
  bool everything() {
    return wait_for([&] {
      for (std::uint16_t i = 0; i < kShards; ++i)
        if (at_[i] != world_.log->end(ShardId{i})) return false;
      return true;
    });
  }
  // Some shard's tasks were behind their batches, and are so no longer.
  bool settled_again() {
    return wait_for(
        [&] { return unsettled_ > 0 && std::ranges::all_of(settled_, std::identity{}); });
  }
  bool losses(int count) {
    return wait_for([&, count] { return lost_ >= count; });
  }
  bool gains(int count) {
    return wait_for([&, count] { return regained_ >= count; });
  }
  bool stands_at(std::uint16_t shard, std::uint64_t offset) {
    return wait_for([&, shard, offset] { return at_[shard] == Offset{offset}; });
  }

 private:
  World& world_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Offset> at_ = std::vector<Offset>(kShards);
  std::vector<int> told_ = std::vector<int>(kShards);
  std::vector<bool> settled_ = std::vector<bool>(kShards, true);
  int unsettled_ = 0;
  int lost_ = 0;
  int regained_ = 0;
};

// Another node's projector: all shards are its own.
class OtherNode {
 public:
  explicit OtherNode(World& world)
      : projector_({*world.log, barrier_, world.clock, world.logger, metrics_, world.unseal},
                   options(world)) {
    projector_.start();
    std::vector<ShardId> all;
    for (std::uint16_t i = 0; i < kShards; ++i) all.emplace_back(i);
    projector_.assign(all);
  }

 private:
  static ProjectorOptions options(const World& world) {
    ProjectorOptions options;
    options.database_url = world.database.url();
    options.batch_records = 5;
    options.gather_ms = 0;
    options.one_of_many = true;
    options.settle_tasks = 0;
    options.retry_least_ms = 1;
    options.retry_most_ms = 20;
    return options;
  }
  platform::Metrics metrics_;
  ReadBarrier barrier_{kShards};
  Projector projector_;
};

CheckpointWatchOptions watch_options(const std::string& url) {
  return {.database_url = url, .shard_count = kShards, .connect_ms = 20'000, .retry_ms = 5};
}

void annotate(World& world, std::int64_t round) {
  world.append(kProjectShard, {boxes_added(TaskId{100 + round % 10}, 1000 + round * 2, 2)});
}

void kill_watch(const World& world) {
  const std::string sql =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = "
      "'annolog-checkpoints' AND datname = '" +
      world.database.name() + "'";
  connect_to(cluster_url())->execute({"kill", sql.c_str()});
}

TEST(CheckpointWatch, hears_of_every_batch_of_another_node) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  EXPECT_FALSE(watch.healthy());
  EXPECT_NE(watch.detail(), "");
  watch.start();
  ASSERT_TRUE(heard.gains(1));
  const OtherNode other(world);
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
  for (std::int64_t round = 0; round < 50; ++round) {
    annotate(world, round);
    if (round % 10 == 0) ASSERT_TRUE(heard.everything()) << round;
  }
  EXPECT_TRUE(heard.everything());
  EXPECT_TRUE(watch.healthy());
  EXPECT_EQ(watch.detail(), "");
}

TEST(CheckpointWatch, hears_when_tasks_are_behind_their_batch) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.gains(1));
  const OtherNode other(world);
  world.append(kProjectShard, {project_created(), tasks_created(100, 10), batch_of(100, 10)[0],
                               batch_of(100, 10)[1]});
  ASSERT_TRUE(heard.everything());
  world.append(kProjectShard, {handed_to(UserId{3})});
  EXPECT_TRUE(heard.everything());
  EXPECT_TRUE(heard.settled_again());
}

TEST(CheckpointWatch, finds_what_was_there_before_it) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
  world.start();
  world.settle();
  world.stop();
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  EXPECT_TRUE(heard.gains(1));
  EXPECT_TRUE(heard.everything());
}

TEST(CheckpointWatch, hears_of_a_swap_by_a_rebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.gains(1));
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
  world.rebuild();  // nobody else applies anything
  EXPECT_TRUE(heard.everything());
  const OtherNode other(world);
  annotate(world, 0);
  EXPECT_TRUE(heard.everything());
  world.rebuild();
  annotate(world, 1);
  EXPECT_TRUE(heard.everything());
}

TEST(CheckpointWatch, goes_back_with_the_read_models) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
  world.start();
  world.settle();
  world.stop();
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.stands_at(kProjectShard, 2));
  connect_to(world.database.url())->run("UPDATE annolog.checkpoints SET position = 1");
  kill_watch(world);
  EXPECT_TRUE(heard.stands_at(kProjectShard, 1));
}

TEST(CheckpointWatch, loses_and_regains_when_its_connection_is_killed) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  const OtherNode other(world);
  world.append(kProjectShard, {project_created(), tasks_created(100, 10)});
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(heard.gains(round + 1));
    ASSERT_TRUE(heard.everything());
    kill_watch(world);
    annotate(world, round);
    ASSERT_TRUE(heard.losses(round + 1));
  }
  ASSERT_TRUE(heard.gains(6));
  EXPECT_TRUE(heard.everything());
}

TEST(CheckpointWatch, says_that_the_database_is_away_and_comes_back_by_itself) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.gains(1));
  const auto cluster = connect_to(cluster_url());
  cluster->run("ALTER DATABASE " + world.database.name() + " ALLOW_CONNECTIONS false");
  kill_watch(world);
  ASSERT_TRUE(heard.losses(3)) << "it tries again and again";
  EXPECT_FALSE(watch.healthy());
  EXPECT_NE(watch.detail(), "");
  cluster->run("ALTER DATABASE " + world.database.name() + " ALLOW_CONNECTIONS true");
  ASSERT_TRUE(heard.gains(2));
  const OtherNode other(world);
  world.append(kProjectShard, {project_created()});
  EXPECT_TRUE(heard.everything());
  EXPECT_TRUE(watch.healthy());
  EXPECT_EQ(watch.detail(), "");
}

TEST(CheckpointWatch, waits_for_a_database_without_read_models) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Database empty;
  World world;  // only for its logger and log
  Heard heard(world);
  CheckpointWatch watch(watch_options(empty.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.losses(2));
  EXPECT_FALSE(watch.healthy());
  Migrator(empty.url()).run();
  EXPECT_TRUE(heard.gains(1));
}

TEST(CheckpointWatch, foreign_news_are_looked_up_and_foreign_shards_passed_over) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  world.append(kProjectShard, {project_created()});
  world.start();
  world.settle();
  world.stop();
  Heard heard(world);
  CheckpointWatch watch(watch_options(world.database.url()), world.logger, heard.handlers());
  watch.start();
  ASSERT_TRUE(heard.gains(1));
  const auto connection = connect_to(world.database.url());
  connection->run("NOTIFY annolog_checkpoints, '1 900:5 2:7'");
  EXPECT_TRUE(heard.stands_at(2, 7));
  connection->run("NOTIFY annolog_checkpoints, 'what is this'");
  EXPECT_TRUE(heard.stands_at(2, 0));
  connection->run("NOTIFY annolog_checkpoints, '1 2:7'");
  EXPECT_TRUE(heard.stands_at(2, 7));
  connection->run("NOTIFY annolog_checkpoints, '99 2:9'");
  EXPECT_TRUE(heard.stands_at(2, 0)) << "of another generation: looked up";
  EXPECT_TRUE(watch.healthy());
}

TEST(CheckpointWatch, stops_at_once_in_any_state) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Heard heard(world);
  auto options = watch_options(world.database.url());
  options.retry_ms = 3'600'000;
  {
    CheckpointWatch never_started(options, world.logger, heard.handlers());
  }
  {
    CheckpointWatch connected(options, world.logger, heard.handlers());
    connected.start();
    ASSERT_TRUE(heard.gains(1));
  }
  options.database_url = "host=127.0.0.1 port=1";
  CheckpointWatch waits(options, world.logger, heard.handlers());
  waits.start();
  ASSERT_TRUE(heard.losses(1));
}

}  // namespace
}  // namespace annolog::projections::testing::checkpoint_watch_test
