// Brings a database to the schema this binary was built for: the numbered files of migrations/,
// embedded in the binary, forward only, under an advisory lock, each in its own transaction; then
// the first, empty read schema when there is none. One call, any thread, blocking.
// Errors: MigrationRefused when the database has a migration that this binary does not know, or
// one whose text has changed since; PgUnavailable or PgError (pg/errors.hpp) otherwise.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace annolog::projections {

class MigrationRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Migration {
  std::int64_t number = 0;
  std::string name;  // the file's name
  std::string sql;
};

// What is embedded, in order.
std::vector<Migration> embedded_migrations();

struct MigrationReport {
  std::vector<std::string> applied;  // names, in order; empty: nothing was to be done
  std::int64_t schema_number = 0;    // of the last one
};

class Migrator {
 public:
  explicit Migrator(std::string database_url,
                    std::vector<Migration> migrations = embedded_migrations());
  // Waits at most `lock_wait_ms` for another process that migrates.
  MigrationReport run(std::int64_t lock_wait_ms = 60'000);

 private:
  std::string database_url_;
  std::vector<Migration> migrations_;
};

}  // namespace annolog::projections
