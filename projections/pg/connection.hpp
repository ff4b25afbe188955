// One connection to PostgreSQL over libpq: prepared statements with binary parameters and answers,
// pipelines (many statements, one round trip), COPY in and out. Every wait has a deadline.
// One thread at a time. Errors: pg/errors.hpp; after PgUnavailable the connection is broken.
// Source: PostgreSQL manual, chapter 34 (34.5 Pipeline Mode, 34.10 COPY).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "projections/pg/errors.hpp"
#include "projections/pg/params.hpp"
#include "projections/pg/rows.hpp"

struct pg_conn;

namespace annolog::projections {

// A statement, prepared under its name when first used on a connection: one name, one text.
// Parameters get their types from casts in the text ($1::bigint).
struct Statement {
  const char* name;
  const char* sql;
  bool kept = true;  // else a SELECT that is not prepared, but planned for its values each time
};

struct ConnectOptions {
  std::string database_url;
  std::string application_name;
  std::string search_path;  // empty: the server's
  std::int64_t connect_ms = 5'000;
  std::int64_t statement_ms = 60'000;
  // Each prepared statement has one plan, along the indexes, whatever its parameters are.
  bool read_only = false;
  bool keyed_plans = false;  // the same for batches of rows that are found by their keys
  // Asked while waiting; once it says true, a wait lasts 3 s more at most. Empty: never.
  std::function<bool()> stopping = {};
};

class PgConnection {
 public:
  explicit PgConnection(const ConnectOptions& options);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  bool broken() const { return broken_; }
  int backend_pid() const;

  // Throws PgUnavailable when the connection broke while nobody used it. Waits for nothing.
  void check();
  // Returns when `wake_fd` is readable; throws PgUnavailable when the connection breaks before.
  void wait_idle(int wake_fd);

  // What other sessions NOTIFY on the channels that this one LISTENs to: waits for some, or until
  // `wake_fd` is readable; throws PgUnavailable when the connection breaks before.
  std::vector<std::string> wait_notifications(int wake_fd);

  // Text of one or more statements without parameters; the last one's answer, in text format.
  void run(const std::string& sql);
  Rows execute(const Statement& statement, const Params& params);
  Rows execute(const Statement& statement) { return execute(statement, Params{}); }
  // Whatever comes from now on is planned for its values: for those that aren't kept, only.
  void plan_for_values();

  // Between enter and leave: send() queues statements, which run in order; sync_pipeline() ends the
  // list, so that the caller may do something else meanwhile; leave_pipeline() waits for them all
  // and throws the first error (the rest were skipped by the server). The connection is out of
  // pipeline mode afterwards, whatever happened; an open transaction stays open. Its answer is that
  // of the last SELECT, if there was one.
  void prepare(const Statement& statement);
  void enter_pipeline();
  void send(const Statement& statement, const Params& params);
  void send(const Statement& statement) { send(statement, Params{}); }
  void sync_pipeline();
  Rows leave_pipeline();

  // `COPY ... FROM STDIN` with all bytes of its stream, outside a pipeline.
  void copy_in(const char* sql, std::string_view bytes);

  // Starts `COPY (query) TO STDOUT (FORMAT binary)`; then rows until nullopt. A view is valid
  // until the next call. end_copy() breaks off one that is not at its end.
  void start_copy(const std::string& query);
  std::optional<std::string_view> next_copy_row();
  void end_copy();

 private:
  friend class PgLine;
  using Deadline = std::chrono::steady_clock::time_point;
  void connect(const ConnectOptions& options);
  Deadline deadline() const;
  // True: the server has sent something, which is taken in. False: `wake_fd` is readable.
  bool wait_input(int wake_fd);
  void take_input();
  void flush(Deadline until);
  void wait_result(Deadline until);
  pg_result* next_result(Deadline until);
  void wait_socket(bool for_write, Deadline until);
  Rows execute_for_values(const Statement& statement, const Params& params);
  void send_prepared(const Statement& statement, const Params& params);
  void send_unnamed(const Statement& statement, const Params& params);
  Rows finish();
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void raise(pg_result* result);

  pg_conn* connection_ = nullptr;
  char* copy_buffer_ = nullptr;
  bool copy_header_read_ = false;
  bool copying_ = false;
  bool broken_ = false;
  std::int64_t statement_ms_;
  std::function<bool()> stopping_;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  std::unordered_set<std::string, NameHash, std::equal_to<>> prepared_;
};

}  // namespace annolog::projections
