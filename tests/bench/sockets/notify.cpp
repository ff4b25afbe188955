#include "tests/bench/sockets/notify.hpp"

#include <poll.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace annolog::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotifySilenceMs = 30'000;

using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

void check(PGconn* connection, bool good) {
  if (!good) throw std::runtime_error(PQerrorMessage(connection));
}

void check(PGconn* connection, PGresult* result) {
  const Answer answer(result, &PQclear);
  const auto status = PQresultStatus(result);
  check(connection, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
}

}  // namespace

Notify::Notify(const std::string& database, const std::string& table)
    : committer_(PQconnectdb(database.c_str())), waiter_(PQconnectdb(database.c_str())) {
  for (const auto& each : {&committer_, &waiter_})
    check(each->get(), PQstatus(each->get()) == CONNECTION_OK);
  check(waiter_.get(), PQexec(waiter_.get(), "LISTEN bench_told"));
  const std::string statement = "WITH made AS (INSERT INTO " + table +
                                " (data) VALUES ($1) RETURNING 1) "
                                "SELECT pg_notify('bench_told', '') FROM made";
  check(committer_.get(), PQprepare(committer_.get(), "tell", statement.c_str(), 1, nullptr));
}

std::vector<double> Notify::commits_us(std::size_t times, std::size_t bytes) {
  const std::string data(bytes, 'x');
  std::vector<double> took;
  took.reserve(times);
  for (std::size_t i = 0; i < times; ++i) took.push_back(commit_us(data));
  return took;
}

double Notify::commit_us(const std::string& data) {
  const std::array<const char*, 1> values{data.c_str()};
  const auto start = Clock::now();
  check(committer_.get(),
        PQsendQueryPrepared(committer_.get(), "tell", 1, values.data(), nullptr, nullptr, 0) == 1);
  pollfd waited{.fd = PQsocket(waiter_.get()), .events = POLLIN, .revents = 0};
  while (!is_notified()) {
    if (::poll(&waited, 1, kNotifySilenceMs) <= 0) {
      while (PGresult* result = PQgetResult(committer_.get())) check(committer_.get(), result);
      throw std::runtime_error("no notification came");
    }
    check(waiter_.get(), PQconsumeInput(waiter_.get()) == 1);
  }
  const auto took = Clock::now() - start;
  while (PGresult* result = PQgetResult(committer_.get())) check(committer_.get(), result);
  return std::chrono::duration<double, std::micro>(took).count();
}

bool Notify::is_notified() const {
  const std::unique_ptr<PGnotify, decltype(&PQfreemem)> note(PQnotifies(waiter_.get()), &PQfreemem);
  return note != nullptr;
}

}  // namespace annolog::bench
