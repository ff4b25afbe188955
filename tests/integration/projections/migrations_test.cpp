#include <gtest/gtest.h>

#include "projections/engine/migrator.hpp"
#include "projections/pg/errors.hpp"
#include "tests/integration/projections/database.hpp"

namespace annolog::projections::testing::migrations_test {
namespace {

TEST(Migrations, RunOnceAndThenHaveNothingToDo) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Database database;
  const auto first = Migrator(database.url()).run();
  std::vector<std::string> all;
  for (const Migration& migration : embedded_migrations()) all.push_back(migration.name);
  EXPECT_EQ(first.applied, all);
  const auto second = Migrator(database.url()).run();
  EXPECT_TRUE(second.applied.empty());
  EXPECT_EQ(second.schema_number, embedded_migrations().back().number);
  EXPECT_EQ(ask(database.url(), "SELECT count(*) FROM tasks"), "0");
}

TEST(Migrations, RefuseATextThatHasChangedSinceItWasApplied) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Database database;
  Migrator(database.url()).run();
  auto changed = embedded_migrations();
  changed.front().sql += "\n-- one more line";
  EXPECT_THROW(Migrator(database.url(), changed).run(), MigrationRefused);
}

TEST(Migrations, RefuseADatabaseThatANewerProgramHasMigrated) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Database database;
  auto newer = embedded_migrations();
  newer.push_back({newer.back().number + 1, "more.sql", "CREATE TABLE annolog.more (id bigint)"});
  EXPECT_EQ(Migrator(database.url(), newer).run().applied.size(), newer.size());
  EXPECT_THROW(Migrator(database.url()).run(), MigrationRefused);
}

TEST(Migrations, LeaveNothingOfOneThatFails) {
  ANNOLOG_NEEDS_POSTGRESQL();
  const Database database;
  auto broken = embedded_migrations();
  broken.push_back({broken.back().number + 1, "broken.sql",
                    "CREATE TABLE annolog.more (id bigint); SELECT 1/0"});
  EXPECT_THROW(Migrator(database.url(), broken).run(), PgError);
  EXPECT_EQ(ask(database.url(), "to_regclass('annolog.more') IS NULL"), "true");
  EXPECT_NO_THROW(Migrator(database.url()).run());
}

TEST(Migrations, SayThatTheDatabaseIsAwayInsteadOfHanging) {
  EXPECT_THROW(Migrator("host=127.0.0.1 port=1 dbname=x user=x").run(), PgUnavailable);
}

}  // namespace
}  // namespace annolog::projections::testing::migrations_test
