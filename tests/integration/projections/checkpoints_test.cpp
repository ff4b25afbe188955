// Signed checkpoints: one process makes each, they stay when the read models are built anew, and
// nobody alters them.
#include <gtest/gtest.h>

#include <algorithm>

#include "platform/files.hpp"
#include "platform/keyring.hpp"
#include "projections/checkpoints/store.hpp"
#include "projections/pg/connection.hpp"
#include "tests/integration/projections/world.hpp"
#include "workers/audit/checkpoint_file.hpp"
#include "workers/audit/checkpointer.hpp"

namespace annolog::projections::testing::checkpoints_test {
namespace {

StoredCheckpoint stored(std::int64_t number) {
  return {number, {kStartMs + number}, "{\"number\":" + std::to_string(number) + "}", "k", "s"};
}

ReadPoolOptions writing(const World& world) {
  ReadPoolOptions options = world.pool->options();
  options.read_only = false;
  return options;
}

// A migrated database and its checkpoints.
struct Kept {
  World world;
  std::unique_ptr<ReadPool> shared;
  std::unique_ptr<CheckpointStore> store;

  Kept() {
    world.start();
    world.settle();
    shared = std::make_unique<ReadPool>(writing(world));
    store = std::make_unique<CheckpointStore>(*shared);
  }
};

void add(CheckpointStore& store, std::int64_t number) {
  EXPECT_TRUE(store.add([&](const auto& newest) {
    EXPECT_EQ(newest ? newest->number : 0, number - 1);
    return std::optional(CheckpointStore::Made{stored(number), {"k", "AA"}});
  }));
}

TEST(Checkpoints, ArePagedFoundAndKeptThroughARebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Kept kept;
  World& world = kept.world;
  CheckpointStore& store = *kept.store;
  for (const std::int64_t number : {1, 2, 3}) add(store, number);
  world.stop();
  world.rebuild();

  const CheckpointQueries queries(*world.pool);
  const auto page = queries.page(std::nullopt, 2);
  ASSERT_EQ(page.items.size(), 2U);
  EXPECT_EQ(page.items.front().number, 3);
  ASSERT_TRUE(page.next);
  EXPECT_EQ(queries.page(page.next, 2).items.front().number, 1);
  EXPECT_EQ(queries.find(2)->statement, stored(2).statement);
  EXPECT_FALSE(queries.find(4));
  EXPECT_EQ(queries.behind(1, 10).size(), 2U);
  EXPECT_EQ(queries.keys().size(), 1U);
}

TEST(Checkpoints, OneProcessAtATimeMakesOne) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Kept kept;
  ReadPool& shared = *kept.shared;
  CheckpointStore& store = *kept.store;
  EXPECT_TRUE(store.add([&](const auto&) {
    EXPECT_FALSE(CheckpointStore(shared).add([](const auto&) {
      ADD_FAILURE() << "two at a time";
      return std::optional<CheckpointStore::Made>();
    }));
    return std::optional<CheckpointStore::Made>();
  }));
  add(store, 1);
}

TEST(Checkpoints, AnAttemptThatMadeNoneIsInNobodysWay) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Kept kept;
  CheckpointStore& store = *kept.store;
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(store.add([](const auto&) { return std::optional<CheckpointStore::Made>(); })) << i;
  const auto fails = [](const auto&) -> std::optional<CheckpointStore::Made> {
    throw std::runtime_error("no answer now");
  };
  for (int i = 0; i < 300; ++i) ASSERT_THROW(store.add(fails), std::runtime_error) << i;
  add(store, 1);
}

TEST(Checkpoints, NobodyAltersThem) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Kept kept;
  World& world = kept.world;
  ReadPool& shared = *kept.shared;
  CheckpointStore& store = *kept.store;
  add(store, 1);
  for (const char* statement :
       {"UPDATE annolog.signed_checkpoints SET statement = 'x'",
        "DELETE FROM annolog.signed_checkpoints", "TRUNCATE annolog.checkpoint_keys"})
    EXPECT_THROW(shared.with_connection([&](PgConnection& on) { on.run(statement); }), PgError);
  store.put_back({stored(1), stored(2)});
  EXPECT_EQ(CheckpointQueries(*world.pool).behind(0, 10).size(), 2U);
}

// The whole of it, on a log that is made up.
struct Made : Kept {
  platform::TempDir dir;
  platform::Keyring keyring = platform::Keyring::open(dir.path() / "keys");
  workers::StatementSigner signer{keyring};
  std::vector<std::int64_t> ends{0, 0, 0, 0};
  std::string salt;  // of the chains
  std::optional<std::int64_t> unread;

  workers::Checkpointer::Parts parts() {
    workers::LogEnds log;
    log.log_id = "log";
    log.shard_count = kShards;
    log.end = [this](std::uint16_t shard, std::chrono::milliseconds) { return ends[shard]; };
    log.chain = [this](std::uint16_t shard, std::int64_t at) -> std::optional<std::string> {
      if (at == unread) return std::nullopt;
      return workers::hex_digest(salt + std::to_string(shard) + "/" + std::to_string(at));
    };
    return {*world.pool, *shared,      std::move(log), signer,
            world.clock, world.logger, world.metrics,  dir.path() / "checkpoints.ndjson"};
  }
  workers::CheckpointsRead in_file() {
    workers::PublicKeys keys;
    keys.add(signer.public_key());
    return workers::read_checkpoints(dir.path() / "checkpoints.ndjson", keys,
                                     [](const std::string& fault) { ADD_FAILURE() << fault; });
  }
};

TEST(Checkpointer, SignsWhenSomethingHasChangedAndKeepsALineOfEach) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Made on;
  workers::Checkpointer checkpointer(on.parts(), std::chrono::seconds(60));
  checkpointer.make();
  EXPECT_TRUE(CheckpointQueries(*on.world.pool).behind(0, 10).empty()) << "the log is empty";
  on.ends = {3, 0, 7, 0};
  checkpointer.make();
  checkpointer.make();
  on.ends = {3, 1, 9, 0};
  checkpointer.make();
  const auto found = on.in_file();
  EXPECT_EQ(found.faults, 0);
  ASSERT_EQ(found.checkpoints.size(), 2U);
  EXPECT_EQ(found.checkpoints[0].heads.size(), 2U);
  EXPECT_EQ(found.checkpoints[1].heads.size(), 3U);
  EXPECT_EQ(found.checkpoints[1].heads[2].position, 9);
}

// Of which one checkpoint was made.
struct Signed : Made {
  workers::Checkpointer checkpointer{parts(), std::chrono::seconds(60)};
  Signed() { make({3, 0, 7, 0}); }
  void make(std::vector<std::int64_t> with) {
    ends = std::move(with);
    checkpointer.make();
  }
};

TEST(Checkpointer, DoesNotSignALogThatWasCutOffOrRewritten) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Signed on;
  on.make({2, 0, 7, 0});
  on.make({0, 0, 7, 0});
  on.salt = "rewritten";
  on.make({5, 0, 7, 0});
  EXPECT_EQ(on.in_file().checkpoints.size(), 1U);
  EXPECT_EQ(on.world.logged("does not hold what was signed"), 3U);
  on.salt.clear();
  on.checkpointer.make();
  EXPECT_EQ(on.in_file().checkpoints.size(), 2U);
}

TEST(Checkpointer, LeavesOutNoShardWhoseEndIsNotToBeRead) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Signed on;
  on.unread = 8;
  EXPECT_THROW(on.make({4, 0, 8, 0}), std::runtime_error);
  EXPECT_EQ(on.in_file().checkpoints.size(), 1U);
  on.unread.reset();
  on.checkpointer.make();
  const auto found = on.in_file();
  EXPECT_EQ(found.faults, 0);
  ASSERT_EQ(found.checkpoints.size(), 2U);
  EXPECT_EQ(found.checkpoints[1].heads.size(), 2U);
}

TEST(Checkpointer, BringsBackWhatADatabaseLostAndMendsACutLine) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Made on;
  on.ends = {3, 0, 7, 0};
  workers::Checkpointer(on.parts(), std::chrono::seconds(60)).make();
  on.shared->with_connection([](PgConnection& database) {
    database.run("ALTER TABLE annolog.signed_checkpoints DISABLE TRIGGER ALL");
    database.run("DELETE FROM annolog.signed_checkpoints");
    database.run("ALTER TABLE annolog.signed_checkpoints ENABLE TRIGGER ALL");
  });
  const auto file = on.dir.path() / "checkpoints.ndjson";
  platform::write_file_atomically(file, platform::read_file(file) + "{\"statement\":\"half");
  on.ends = {4, 0, 7, 0};
  workers::Checkpointer(on.parts(), std::chrono::seconds(60)).make();
  const auto found = on.in_file();
  EXPECT_EQ(found.checkpoints.size(), 2U);
  EXPECT_EQ(CheckpointQueries(*on.world.pool).behind(0, 10).size(), 2U);
}

}  // namespace
}  // namespace annolog::projections::testing::checkpoints_test
