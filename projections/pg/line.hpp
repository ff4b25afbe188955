// Statements that are sent over one connection without waiting for the answers of those before
// (pipeline mode): what an event loop asks. It never blocks: its owner waits for the socket.
// Answers come in the order of the questions, each a transaction of its own, so that one that fails
// spoils no other. One thread. Every call throws PgUnavailable when the connection is broken.
// Source: PostgreSQL manual, 34.5 "Pipeline Mode".
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "projections/pg/connection.hpp"

namespace annolog::projections {

class PgLine {
 public:
  // Takes over a connection that is at rest.
  explicit PgLine(std::unique_ptr<PgConnection> connection);

  int socket() const;

  // What is not kept needs a connection that plans for values. Sends as much as the socket takes.
  void ask(const Statement& statement, const Params& params);
  // False: the socket takes no more now; again when it can be written.
  bool flush();

  // What has come over the socket; does not wait for more.
  void take_input();
  struct Answer {
    Rows rows;
    std::string sqlstate;  // empty: it went well
  };
  // Of the oldest question, once it is complete.
  std::optional<Answer> next();

 private:
  struct Asked {
    const Statement* statement;
    bool being_prepared;  // its PREPARE goes before it, and is not known to have gone well
  };
  pg_conn* raw() const;
  Answer refusal(Rows rows);

  std::unique_ptr<PgConnection> connection_;
  std::deque<Asked> asked_;  // and not answered
  std::optional<Answer> begun_;
};

}  // namespace annolog::projections
