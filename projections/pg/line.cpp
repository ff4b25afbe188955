#include "projections/pg/line.hpp"

#include <utility>

#include <libpq-fe.h>

namespace annolog::projections {

PgLine::PgLine(std::unique_ptr<PgConnection> connection) : connection_(std::move(connection)) {
  connection_->enter_pipeline();
}

pg_conn* PgLine::raw() const { return connection_->connection_; }

int PgLine::socket() const { return PQsocket(raw()); }

void PgLine::ask(const Statement& statement, const Params& params) {
  const bool prepares = statement.kept && connection_->prepared_.emplace(statement.name).second;
  if (prepares && PQsendPrepare(raw(), statement.name, statement.sql, 0, nullptr) == 0) {
    connection_->fail("PostgreSQL connection");
  }
  statement.kept ? connection_->send_prepared(statement, params)
                 : connection_->send_unnamed(statement, params);
  if (PQpipelineSync(raw()) == 0) connection_->fail("PostgreSQL connection");
  asked_.push_back({&statement, prepares});
}

bool PgLine::flush() {
  const int pending = PQflush(raw());
  if (pending < 0) connection_->fail("PostgreSQL connection");
  return pending == 0;
}

void PgLine::take_input() {
  if (PQconsumeInput(raw()) == 0 || PQstatus(raw()) != CONNECTION_OK) {
    connection_->fail("the PostgreSQL connection broke");
  }
}

// Who asks the same next prepares it again when that is what failed.
PgLine::Answer PgLine::refusal(Rows rows) {
  const char* state = PQresultErrorField(rows.raw(), PG_DIAG_SQLSTATE);
  if (state == nullptr) connection_->fail("the PostgreSQL connection broke");
  const Asked& asked = asked_.front();
  if (asked.being_prepared) connection_->prepared_.erase(asked.statement->name);
  return {std::move(rows), state};
}

std::optional<PgLine::Answer> PgLine::next() {
  while (!asked_.empty() && PQisBusy(raw()) == 0) {
    // Between two statements' results comes a null.
    Rows rows(PQgetResult(raw()));
    if (PQstatus(raw()) != CONNECTION_OK) connection_->fail("the PostgreSQL connection broke");
    if (rows.raw() == nullptr) continue;
    switch (PQresultStatus(rows.raw())) {
      case PGRES_PIPELINE_SYNC:
        asked_.pop_front();
        if (!begun_) connection_->fail("PostgreSQL gave no answer");
        return std::exchange(begun_, std::nullopt);
      case PGRES_COMMAND_OK: asked_.front().being_prepared = false; break;
      case PGRES_TUPLES_OK: begun_ = Answer{std::move(rows), {}}; break;
      case PGRES_FATAL_ERROR: begun_ = refusal(std::move(rows)); break;
      default: break;  // what was skipped behind an error
    }
  }
  return std::nullopt;
}

}  // namespace annolog::projections
