// What the PostgreSQL layer throws. Plain values, any thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace annolog::projections {

// The server refused a statement. sqlstate(): PostgreSQL manual, appendix A.
class PgError : public std::runtime_error {
 public:
  PgError(std::string sqlstate, const std::string& message)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)) {}
  const std::string& sqlstate() const { return sqlstate_; }
  // Data that the schema can't hold (class 22) or that breaks a key (class 23).
  bool is_data_error() const { return sqlstate_.starts_with("22") || sqlstate_.starts_with("23"); }

 private:
  std::string sqlstate_;
};

// No connection, a connection that broke, a server that shuts down, or no answer in time.
class PgUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace annolog::projections
