// What PostgreSQL alone needs to tell of a commit: one connection inserts a row and notifies in one
// statement, another one waits for the notification. One thread.
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace annolog::bench {

class Notify {
 public:
  // Into `table`, which has a column `data` of text. Throws std::runtime_error, as below.
  Notify(const std::string& database, const std::string& table);

  // Microseconds from sending each statement to having its notification, one after another.
  std::vector<double> commits_us(std::size_t times, std::size_t bytes);

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  using Connection = std::unique_ptr<PGconn, Finish>;

  double commit_us(const std::string& data);
  bool is_notified() const;

  Connection committer_;
  Connection waiter_;
};

}  // namespace annolog::bench
