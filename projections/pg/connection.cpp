#include "projections/pg/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <libpq-fe.h>
#include <poll.h>

namespace annolog::projections {
namespace {

using Clock = std::chrono::steady_clock;

// The server stops a statement first; this is for a server that can't.
constexpr std::chrono::milliseconds kGrace{2'000};
constexpr std::chrono::milliseconds kStopGrace{3'000};
constexpr std::chrono::milliseconds kLookAround{250};
constexpr std::chrono::milliseconds kLongestPoll{60'000};
constexpr std::size_t kCopyHeaderBytes = 19;  // signature, flags, length of an empty extension

void ignore_notice(void*, const char*) {}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// One plan for each prepared statement, along the indexes: no request has to wait for its planning,
// and the plan is the one that tests look at (tests/integration/projections/plans_test.cpp). One
// that was made while a table was empty must not read it from end to end once it is big.
constexpr const char* kOnePlan =
    " -c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off";
// Of a statement that is not kept.
constexpr Statement kPlanForValues{"plan_for_values", "SET plan_cache_mode = force_custom_plan"};
constexpr Statement kPlanOnce{"plan_once", "SET plan_cache_mode = force_generic_plan"};

std::string session_settings(const ConnectOptions& options) {
  std::string text =
      "-c client_min_messages=warning -c statement_timeout=" + std::to_string(options.statement_ms);
  if (!options.search_path.empty()) text += " -c search_path=" + options.search_path;
  if (options.keyed_plans || options.read_only) text += kOnePlan;
  if (options.keyed_plans) text += " -c enable_hashjoin=off -c enable_mergejoin=off";
  if (options.read_only) text += " -c default_transaction_read_only=on";
  return text;
}

// The server is not refusing this statement but everything: shutdown, crash, too many connections.
bool means_unavailable(std::string_view sqlstate) {
  return sqlstate.starts_with("08") || sqlstate.starts_with("57P") || sqlstate == "57014" ||
         sqlstate.starts_with("53") || sqlstate.starts_with("58") || sqlstate == "25006";
}

}  // namespace

PgConnection::PgConnection(const ConnectOptions& options)
    : statement_ms_(options.statement_ms), stopping_(options.stopping) {
  try {
    connect(options);
  } catch (...) {
    PQfinish(connection_);
    throw;
  }
}

PgConnection::~PgConnection() {
  PQfreemem(copy_buffer_);
  PQfinish(connection_);
}

void PgConnection::connect(const ConnectOptions& options) {
  const std::string settings = session_settings(options);
  const std::array<const char*, 7> names{
      "dbname",          "application_name", "options", "client_encoding",
      "keepalives_idle", "tcp_user_timeout", nullptr};
  const std::array<const char*, 7> values{options.database_url.c_str(),
                                          options.application_name.c_str(),
                                          settings.c_str(),
                                          "UTF8",
                                          "30",
                                          "30000",
                                          nullptr};
  connection_ = PQconnectStartParams(names.data(), values.data(), 1);
  if (connection_ == nullptr) throw std::bad_alloc();
  PQsetNoticeProcessor(connection_, ignore_notice, nullptr);
  const Deadline until = Clock::now() + std::chrono::milliseconds(options.connect_ms);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (PQstatus(connection_) != CONNECTION_BAD) {
    if (status == PGRES_POLLING_OK) break;
    if (status == PGRES_POLLING_FAILED) break;
    wait_socket(status == PGRES_POLLING_WRITING, until);
    status = PQconnectPoll(connection_);
  }
  if (PQstatus(connection_) != CONNECTION_OK) fail("no connection to PostgreSQL");
  if (PQsetnonblocking(connection_, 1) != 0) fail("PostgreSQL connection");
}

int PgConnection::backend_pid() const { return PQbackendPID(connection_); }

PgConnection::Deadline PgConnection::deadline() const {
  return Clock::now() + std::chrono::milliseconds(statement_ms_) + kGrace;
}

void PgConnection::fail(const std::string& message) {
  broken_ = true;
  const char* reason = connection_ == nullptr ? nullptr : PQerrorMessage(connection_);
  throw PgUnavailable(
      message + (reason == nullptr || *reason == '\0' ? std::string{} : ": " + one_line(reason)));
}

void PgConnection::raise(pg_result* result) {
  const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string sqlstate = field == nullptr ? "" : field;
  const std::string message = one_line(PQresultErrorMessage(result));
  if (PQstatus(connection_) != CONNECTION_OK || sqlstate.empty()) {
    broken_ = true;
    throw PgUnavailable(message.empty() ? "the PostgreSQL connection broke" : message);
  }
  if (means_unavailable(sqlstate)) throw PgUnavailable(message);
  throw PgError(sqlstate, message);
}

void PgConnection::wait_socket(bool for_write, Deadline until) {
  const auto events = static_cast<short>(for_write ? POLLOUT | POLLIN : POLLIN);
  pollfd waited{PQsocket(connection_), events, 0};
  if (waited.fd < 0) fail("the PostgreSQL connection broke");
  bool shortened = false;
  while (true) {
    if (!shortened && stopping_ && stopping_()) {
      until = std::min(until, Clock::now() + kStopGrace);
      shortened = true;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) fail("PostgreSQL did not answer in time");
    const auto slice = stopping_ ? std::min(left, kLookAround) : std::min(left, kLongestPoll);
    const int ready = ::poll(&waited, 1, static_cast<int>(slice.count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) fail("poll");
  }
}

bool PgConnection::wait_input(int wake_fd) {
  while (true) {
    std::array<pollfd, 2> waited{pollfd{wake_fd, POLLIN, 0},
                                 pollfd{PQsocket(connection_), POLLIN, 0}};
    if (waited[1].fd < 0) fail("the PostgreSQL connection broke");
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) fail("poll");
    if (waited[1].revents != 0) {
      take_input();
      return true;
    }
    if (waited[0].revents != 0) return false;
  }
}

void PgConnection::take_input() {
  if (PQconsumeInput(connection_) == 0 || PQstatus(connection_) != CONNECTION_OK)
    fail("the PostgreSQL connection broke");
}

void PgConnection::check() {
  pollfd socket{PQsocket(connection_), POLLIN, 0};
  if (socket.fd < 0) fail("the PostgreSQL connection broke");
  if (::poll(&socket, 1, 0) > 0) take_input();
}

void PgConnection::wait_idle(int wake_fd) {
  while (wait_input(wake_fd)) {
  }
}

std::vector<std::string> PgConnection::wait_notifications(int wake_fd) {
  std::vector<std::string> texts;
  while (true) {
    while (PGnotify* told = PQnotifies(connection_)) {
      texts.emplace_back(told->extra);
      PQfreemem(told);
    }
    if (!texts.empty() || !wait_input(wake_fd)) return texts;
  }
}

void PgConnection::flush(Deadline until) {
  while (true) {
    const int pending = PQflush(connection_);
    if (pending < 0) fail("PostgreSQL connection");
    if (pending == 0) return;
    wait_socket(true, until);
    if (PQconsumeInput(connection_) == 0) fail("PostgreSQL connection");
  }
}

void PgConnection::wait_result(Deadline until) {
  flush(until);
  while (PQisBusy(connection_) != 0) {
    wait_socket(false, until);
    if (PQconsumeInput(connection_) == 0) fail("PostgreSQL connection");
  }
}

pg_result* PgConnection::next_result(Deadline until) {
  wait_result(until);
  return PQgetResult(connection_);
}

// Takes all results of one statement; answers the last, throws the first error.
Rows PgConnection::finish() {
  const Deadline until = deadline();
  Rows last(nullptr);
  std::optional<Rows> error;
  while (pg_result* result = next_result(until)) {
    const ExecStatusType status = PQresultStatus(result);
    const bool failed = status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
    if (failed && !error) {
      error.emplace(result);
    } else {
      last = Rows(result);
    }
    if (PQstatus(connection_) == CONNECTION_BAD) break;
  }
  if (error) raise(error->raw());
  if (last.raw() == nullptr) fail("PostgreSQL gave no answer");
  return last;
}

void PgConnection::run(const std::string& sql) {
  if (PQsendQuery(connection_, sql.c_str()) == 0) fail("PostgreSQL connection");
  finish();
}

void PgConnection::prepare(const Statement& statement) {
  if (prepared_.contains(std::string_view(statement.name))) return;
  if (PQsendPrepare(connection_, statement.name, statement.sql, 0, nullptr) == 0) {
    fail("PostgreSQL connection");
  }
  finish();
  prepared_.emplace(statement.name);
}

Rows PgConnection::execute(const Statement& statement, const Params& params) {
  if (!statement.kept) return execute_for_values(statement, params);
  prepare(statement);
  send_prepared(statement, params);
  return finish();
}

// In one exchange. What fails undoes the setting, too: up to the sync it is one transaction.
Rows PgConnection::execute_for_values(const Statement& statement, const Params& params) {
  prepare(kPlanForValues);
  prepare(kPlanOnce);
  enter_pipeline();
  send(kPlanForValues);
  send_unnamed(statement, params);
  send(kPlanOnce);
  sync_pipeline();
  return leave_pipeline();
}

void PgConnection::plan_for_values() { execute(kPlanForValues); }

void PgConnection::send_unnamed(const Statement& statement, const Params& params) {
  const Params::Raw raw = params.raw();
  if (PQsendQueryParams(connection_, statement.sql, static_cast<int>(params.size()), nullptr,
                        raw.values.data(), raw.lengths.data(), raw.formats.data(), 1) == 0) {
    fail("PostgreSQL connection");
  }
}

void PgConnection::send_prepared(const Statement& statement, const Params& params) {
  const Params::Raw raw = params.raw();
  if (PQsendQueryPrepared(connection_, statement.name, static_cast<int>(params.size()),
                          raw.values.data(), raw.lengths.data(), raw.formats.data(), 1) == 0) {
    fail("PostgreSQL connection");
  }
}

void PgConnection::enter_pipeline() {
  if (PQenterPipelineMode(connection_) == 0) fail("PostgreSQL connection");
}

void PgConnection::send(const Statement& statement, const Params& params) {
  if (!prepared_.contains(std::string_view(statement.name))) {
    throw std::logic_error(std::string("not prepared before the pipeline: ") + statement.name);
  }
  send_prepared(statement, params);
}

void PgConnection::sync_pipeline() {
  if (PQpipelineSync(connection_) == 0) fail("PostgreSQL connection");
  flush(deadline());
}

Rows PgConnection::leave_pipeline() {
  Rows answer(nullptr);
  std::optional<Rows> error;
  while (true) {
    // Between two statements' results comes a null.
    pg_result* result = next_result(deadline());
    if (result == nullptr) {
      if (PQstatus(connection_) == CONNECTION_BAD) fail("PostgreSQL connection");
      continue;
    }
    Rows rows(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) break;
    if (status == PGRES_FATAL_ERROR && !error) error.emplace(std::move(rows));
    if (status == PGRES_TUPLES_OK) answer = std::move(rows);
    if (PQstatus(connection_) == CONNECTION_BAD) break;
  }
  if (error) {
    PQexitPipelineMode(connection_);
    raise(error->raw());
  }
  if (PQexitPipelineMode(connection_) == 0) fail("PostgreSQL connection");
  return answer;
}

void PgConnection::copy_in(const char* sql, std::string_view bytes) {
  if (PQsendQuery(connection_, sql) == 0) fail("PostgreSQL connection");
  Rows rows(next_result(deadline()));
  if (rows.raw() == nullptr) fail("PostgreSQL gave no answer");
  if (PQresultStatus(rows.raw()) != PGRES_COPY_IN) {
    while (pg_result* more = next_result(deadline())) PQclear(more);
    raise(rows.raw());
  }
  // What does not fit the socket waits in libpq's own memory: no more than the batch has.
  if (PQputCopyData(connection_, bytes.data(), checked_length(bytes.size())) != 1 ||
      PQputCopyEnd(connection_, nullptr) != 1) {
    fail("PostgreSQL connection");
  }
  finish();
}

void PgConnection::start_copy(const std::string& query) {
  const std::string sql = "COPY (" + query + ") TO STDOUT (FORMAT binary)";
  if (PQsendQuery(connection_, sql.c_str()) == 0) fail("PostgreSQL connection");
  Rows rows(next_result(deadline()));
  if (rows.raw() == nullptr) fail("PostgreSQL gave no answer");
  if (PQresultStatus(rows.raw()) != PGRES_COPY_OUT) {
    while (pg_result* more = next_result(deadline())) PQclear(more);
    raise(rows.raw());
  }
  copy_header_read_ = false;
  copying_ = true;
}

std::optional<std::string_view> PgConnection::next_copy_row() {
  if (!copying_) return std::nullopt;
  const Deadline until = deadline();
  while (true) {
    PQfreemem(std::exchange(copy_buffer_, nullptr));
    const int length = PQgetCopyData(connection_, &copy_buffer_, 1);
    if (length == 0) {
      wait_socket(false, until);
      if (PQconsumeInput(connection_) == 0) fail("PostgreSQL connection");
      continue;
    }
    if (length < 0) break;
    std::string_view tuple(copy_buffer_, static_cast<std::size_t>(length));
    if (!std::exchange(copy_header_read_, true)) tuple.remove_prefix(kCopyHeaderBytes);
    if (tuple.size() < 2) continue;                  // the header came alone
    if (tuple.substr(0, 2) == "\xff\xff") continue;  // the stream's trailer
    return tuple;
  }
  copying_ = false;
  finish();
  return std::nullopt;
}

void PgConnection::end_copy() {
  if (!copying_) return;
  if (PGcancel* cancel = PQgetCancel(connection_)) {
    std::array<char, 256> error{};
    PQcancel(cancel, error.data(), static_cast<int>(error.size()));
    PQfreeCancel(cancel);
  }
  try {
    while (next_copy_row()) {
    }
  } catch (const PgUnavailable&) {  // "canceled on request", or the connection broke
  }
  copying_ = false;
}

}  // namespace annolog::projections
