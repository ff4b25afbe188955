// The audit as rows: filters, pages, batches, what PostgreSQL refuses, a rebuild.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "projections/audit/queries.hpp"
#include "projections/audit/snapshot.hpp"
#include "projections/pg/errors.hpp"
#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"
#include "workers/audit/statements.hpp"

namespace annolog::projections::testing::audit_test {
namespace {

RequestRecorded request(std::int64_t number, const std::string& action, std::int64_t actor = 7) {
  RequestRecorded made;
  made.number = number;
  made.previous = std::string(64, '0');
  made.at = Timestamp{kStartMs + number};
  made.actor_id = UserId{actor};
  made.actor_role = Role::reviewer;
  made.request_id = "r" + std::to_string(number);
  made.action = action;
  made.method = "POST";
  made.path = "/api/v1/somewhere";
  made.status = 200;
  made.proof = CallerProof::token;
  made.target_type = "task";
  made.target_id = 100 + number % 2;
  made.project_id = kProject;
  return made;
}

RequestRecorded about_batches(std::int64_t number, std::vector<std::int64_t> ids) {
  auto made = request(number, "batch.bulk_archive");
  made.target_type = "project";
  made.target_id = kProject.value;
  made.detail.batch_ids = std::move(ids);
  return made;
}

// Page by page, whole rows and their ids.
std::vector<std::string> walk(ReadPool& pool, const AuditScope& scope, std::int64_t limit = 50) {
  std::vector<std::string> seen;
  std::optional<TimeCursor> after;
  do {
    const auto page = ask(pool, AuditQueries::page(scope, after, limit));
    const auto keys = ask(pool, AuditQueries::page_keys(scope, after, limit));
    EXPECT_TRUE(std::ranges::equal(page.items, keys.items, {}, &AuditRow::id));
    EXPECT_EQ(keys.next, page.next ? std::optional(page.next->id) : std::nullopt);
    EXPECT_LE(page.items.size(), static_cast<std::size_t>(limit));
    for (const auto& row : page.items) seen.push_back(request_of(row).request_id);
    after = page.next;
  } while (after);
  return seen;
}

using Ids = std::vector<std::string>;

struct Scene {
  Scene() {
    auto refused = request(3, "task.reject", 8);
    refused.status = 409;
    auto nobodys = request(4, "task.reject");
    nobodys.actor_id = std::nullopt;
    nobodys.project_id = std::nullopt;
    nobodys.target_id = std::nullopt;
    world.append(kProjectShard, {request(1, "task.next"), request(2, "task.reject"), refused});
    world.append(0, {nobodys, about_batches(5, {30, 31}), about_batches(6, {31, 31})});
    world.start();
    world.settle();
  }
  World world;
};

TEST(AuditRowsOf, RequestsAreFoundByEachFilterNewestFirst) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Scene scene;
  for (const std::int64_t limit : {1, 2, 4, 50})
    EXPECT_EQ(walk(*scene.world.pool, {}, limit), (Ids{"r6", "r5", "r4", "r3", "r2", "r1"}));
  EXPECT_EQ(walk(*scene.world.pool, {.actor_id = UserId{8}}), Ids{"r3"});
  EXPECT_EQ(walk(*scene.world.pool, {.action = "task.reject"}), (Ids{"r4", "r3", "r2"}));
  EXPECT_EQ(walk(*scene.world.pool, {.target_type = "task"}), (Ids{"r4", "r3", "r2", "r1"}));
  EXPECT_EQ(walk(*scene.world.pool, {.target_type = "task", .target_id = 101}), (Ids{"r3", "r1"}));
  EXPECT_EQ(walk(*scene.world.pool, {.project_id = kProject}), (Ids{"r6", "r5", "r3", "r2", "r1"}));
  EXPECT_EQ(walk(*scene.world.pool, {.status_code = 409}), Ids{"r3"});
  EXPECT_EQ(walk(*scene.world.pool, {.actor_id = UserId{7}, .action = "task.reject"}), Ids{"r2"});
  EXPECT_EQ(
      walk(*scene.world.pool, {.from = Timestamp{kStartMs + 2}, .to = Timestamp{kStartMs + 5}}),
      (Ids{"r4", "r3", "r2"}));
}

TEST(AuditRowsOf, ABatchIsFoundWhereItIsNamedAmongOthers) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Scene scene;
  const auto of_batch = [&](std::int64_t id, std::optional<TimeCursor> after, std::int64_t limit) {
    return ask(*scene.world.pool, AuditQueries::of_batch(BatchId{id}, after, limit));
  };
  const auto first = of_batch(31, std::nullopt, 1);
  ASSERT_EQ(first.items.size(), 1U);
  EXPECT_EQ(request_of(first.items.front()).request_id, "r6");
  const auto second = of_batch(31, first.next, 1);
  ASSERT_EQ(second.items.size(), 1U);
  EXPECT_EQ(request_of(second.items.front()).request_id, "r5");
  EXPECT_FALSE(second.next);
  EXPECT_EQ(of_batch(30, std::nullopt, 50).items.size(), 1U);
  EXPECT_TRUE(of_batch(32, std::nullopt, 50).items.empty());
}

TEST(AuditRowsOf, TheDataIsTheRecordsByteByByte) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Scene scene;
  const auto rows =
      ask(*scene.world.pool, AuditQueries::page({.target_id = 101}, std::nullopt, 50)).items;
  const auto records = scene.world.log->read(eventstore::ShardId(kProjectShard), {}, {});
  EXPECT_EQ(rows.back().data, records.front().data);
}

// Within a second, across seconds, at their borders, long after one another, and of a shard that
// has none: in two batches, so that a second is met again.
TEST(AuditRowsOf, EndBeforeAnyMomentWhereTheShardsRowsEnd) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const std::map<std::uint16_t, std::vector<std::int64_t>> times{
      {0, {0, 1, 999, 1000, 1001, 1999, 5000, 86'400'000}},
      {1, {500, 500, 501}},
      {3, {3000, 4000, 4001, 4002}}};
  World world;
  world.start();
  for (const bool is_later : {false, true}) {
    for (const auto& [shard, moments] : times) {
      std::vector<Event> events;
      for (std::size_t i = is_later ? moments.size() / 2 : 0;
           i < (is_later ? moments.size() : moments.size() / 2); ++i) {
        auto made = request(static_cast<std::int64_t>(i) + 1, "task.next");
        made.at = Timestamp{kStartMs + moments[i]};
        events.emplace_back(std::move(made));
      }
      world.append(shard, events);
    }
    world.settle();
  }
  const auto number_before = [&](std::uint16_t shard, std::int64_t moment) {
    return std::ranges::count_if(times.at(shard), [&](auto at) { return at < moment; });
  };
  const std::vector<std::int64_t> moments{-1,   0,    1,    500,  501,  502,        999,
                                          1000, 1001, 1002, 2000, 2500, 3000,       3001,
                                          4001, 4500, 5000, 5001, 9000, 86'400'000, 90'000'000};
  for (const std::int64_t from : moments) {
    for (const std::int64_t to : moments) {
      if (to < from) continue;
      std::vector<AuditEnd> expected;
      for (const auto& [shard, all] : times) {
        const auto after = number_before(shard, from);
        const auto number = number_before(shard, to);
        if (number == 0 || number == after) continue;
        const auto records = world.log->read(eventstore::ShardId(shard), {}, {});
        const auto& last = records.at(static_cast<std::size_t>(number) - 1);
        expected.push_back({shard, after, number, workers::hex_digest(last.data)});
      }
      AuditSnapshot snapshot(*world.pool,
                             {.from = Timestamp{kStartMs + from}, .to = Timestamp{kStartMs + to}});
      EXPECT_EQ(snapshot.heads(8), expected) << from << " to " << to;
    }
  }
  EXPECT_EQ(AuditSnapshot(*world.pool, {}).heads(8).size(), 3U);
}

TEST(AuditRowsOf, AreNeverChanged) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Scene scene;
  const auto connection = connect_to(scene.world.database.url(), "read_live");
  for (const char* change :
       {"UPDATE audit_rows SET status = 1", "DELETE FROM audit_rows", "TRUNCATE audit_rows",
        "UPDATE audit_batches SET batch_id = 1", "DELETE FROM audit_batches",
        "UPDATE audit_seconds SET second = 1", "DELETE FROM audit_seconds"}) {
    EXPECT_THROW(connection->run(change), PgError) << change;
  }
  EXPECT_EQ(walk(*scene.world.pool, {}).size(), 6U);
}

// Beside the trigger, which a test's superuser meets alone: nobody, not even the owner, was given
// the right.
TEST(AuditRowsOf, MayBeChangedByNobody) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  for (const char* table : {"audit_rows", "audit_batches", "audit_seconds"}) {
    const std::string granted =
        ask(world.database.url(),
            "SELECT string_agg(DISTINCT a.privilege_type, ' ' ORDER BY a.privilege_type) "
            "FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'read_live." +
                std::string(table) + "'::regclass");
    EXPECT_NE(granted.find("INSERT"), std::string::npos) << table << ": " << granted;
    for (const char* right : {"UPDATE", "DELETE", "TRUNCATE"})
      EXPECT_EQ(granted.find(right), std::string::npos) << table << ": " << granted;
  }
}

TEST(AuditRowsOf, AreTheSameAfterARebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  Scene scene;
  const std::string before = scene.world.dump();
  scene.world.stop();
  scene.world.rebuild();
  EXPECT_EQ(scene.world.dump(), before);
}

}  // namespace
}  // namespace annolog::projections::testing::audit_test
