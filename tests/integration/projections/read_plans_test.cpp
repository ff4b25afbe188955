// Who reads for requests has one plan for each statement, but for those that hang on their values.
#include <gtest/gtest.h>

#include <string>

#include "projections/queries/read_pool.hpp"
#include "projections/tasks/page_statements.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::read_plans_test {
namespace {

constexpr Statement kMode{"plan_mode", "SELECT current_setting('plan_cache_mode')"};
constexpr Statement kModeForValues{"", "SELECT current_setting('plan_cache_mode')", false};
constexpr Statement kFailsForValues{"", "SELECT 1 / $1::bigint", false};
constexpr Statement kCounts{
    "plan_counts",
    "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = $1::text"};
constexpr int kTimes = 10;  // PostgreSQL itself would think again after five

std::string mode(PgConnection& connection, const Statement& statement = kMode) {
  return connection.execute(statement).row(0).text();
}

class ReadPlans : public ::testing::Test {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    world_ = std::make_unique<World>();
    connection_ = world_->pool->dedicated(5'000);
  }

  std::unique_ptr<World> world_;
  std::unique_ptr<PgConnection> connection_;
};

TEST_F(ReadPlans, AStatementIsPlannedOnceWhateverItIsAskedFor) {
  const Statement& page = task_page_statement(TaskPageKind::keys, {});
  for (std::int64_t project = 0; project < kTimes; ++project) {
    Params params;
    params.add(project).add(std::int64_t{51}).add(std::int64_t{0});
    EXPECT_TRUE(connection_->execute(page, params).empty());
  }
  const Rows counts = connection_->execute(kCounts, Params().add(std::string_view(page.name)));
  ASSERT_EQ(counts.size(), 1);
  auto row = counts.row(0);
  EXPECT_EQ(row.integer(), kTimes);
  EXPECT_EQ(row.integer(), 0);
}

TEST_F(ReadPlans, WhatHangsOnItsValuesIsPlannedForThem) {
  EXPECT_EQ(mode(*connection_, kModeForValues), "force_custom_plan");
  EXPECT_EQ(mode(*connection_), "force_generic_plan");
}

TEST_F(ReadPlans, AFailureLeavesNoOtherPlansBehind) {
  EXPECT_THROW(connection_->execute(kFailsForValues, Params().add(std::int64_t{0})), PgError);
  EXPECT_EQ(mode(*connection_), "force_generic_plan");
  EXPECT_EQ(connection_->execute(kFailsForValues, Params().add(std::int64_t{1})).size(), 1);
}

TEST_F(ReadPlans, WithinATransactionItIsTheSame) {
  connection_->run("BEGIN");
  EXPECT_EQ(mode(*connection_, kModeForValues), "force_custom_plan");
  EXPECT_EQ(mode(*connection_), "force_generic_plan");
  EXPECT_THROW(connection_->execute(kFailsForValues, Params().add(std::int64_t{0})), PgError);
  connection_->run("ROLLBACK");
  EXPECT_EQ(mode(*connection_), "force_generic_plan");
}

}  // namespace
}  // namespace annolog::projections::testing::read_plans_test
