// Bounded PostgreSQL connections for reading the live read models, with prepared statements.
// Any thread; calls block, so they belong on a blocking pool, never on an I/O thread. The query
// classes (users/, projects/, datasets/, tasks/, annotations/) take a ReadPool& and are free to be
// used by any number of threads at once.
// Errors: ReadUnavailable when PostgreSQL is away, answers too late, or no connection comes free
// within checkout_ms (HTTP: 503 with Retry-After); PgError for a statement that is wrong (a bug).
// A connection that died while idle is replaced and the read tried once more without a word.
// Source: architecture, "The read side".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace annolog::projections {

class PgConnection;

class ReadUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReadPoolOptions {
  std::string database_url;          // libpq conninfo or URI
  std::size_t connections = 8;       // opened when first needed
  std::int64_t checkout_ms = 2'000;  // longest wait for a free connection
  std::int64_t connect_ms = 2'000;
  std::int64_t statement_ms = 5'000;  // statement_timeout; the client gives up a little later
  // False: for what nodes share beside the log. A write may then happen twice, see with_connection.
  bool read_only = true;
};

class ReadPool {
 public:
  explicit ReadPool(ReadPoolOptions options);  // does not connect
  ~ReadPool();
  ReadPool(const ReadPool&) = delete;
  ReadPool& operator=(const ReadPool&) = delete;

  // Runs `read` with a connection whose search_path is the live read schema. `read` may run twice.
  void with_connection(const std::function<void(PgConnection&)>& read);

  // A connection of its own beside the pool, for long reads (exports); same settings, but with
  // `statement_ms` for each of its statements.
  std::unique_ptr<PgConnection> dedicated(std::int64_t statement_ms) const;

  // True when a connection answers within the limits; for /health.
  bool reachable();

  const ReadPoolOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::projections
