// Statements with their parameters, ready to be sent in order, and rows to copy before them: what a
// batch of events becomes before any of it goes to PostgreSQL. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "projections/pg/connection.hpp"

namespace annolog::projections {

class StatementQueue {
 public:
  // The statement must be static; it is prepared when the queue is sent.
  void add(const Statement& statement, Params params) {
    entries_.emplace_back(&statement, std::move(params));
  }
  // COPY ... FROM STDIN with all bytes of its stream; static too.
  void add_copy(const char* sql, std::string bytes) { copies_.emplace_back(sql, std::move(bytes)); }
  void append(StatementQueue&& other) {
    for (auto& copy : other.copies_) copies_.push_back(std::move(copy));
    other.copies_.clear();
    for (auto& entry : other.entries_) entries_.push_back(std::move(entry));
    other.entries_.clear();
  }

  // Outside a transaction or pipeline: a failed PREPARE would spoil it.
  void prepare_on(PgConnection& connection) const {
    for (const auto& [statement, params] : entries_) connection.prepare(*statement);
  }
  bool has_copies() const { return !copies_.empty(); }
  // Outside a pipeline, within the transaction, before the statements; waits for each.
  void copy_on(PgConnection& connection) const {
    for (const auto& [sql, bytes] : copies_) connection.copy_in(sql, bytes);
  }
  // Within a pipeline.
  void send_on(PgConnection& connection) const {
    for (const auto& [statement, params] : entries_) connection.send(*statement, params);
  }

 private:
  std::vector<std::pair<const Statement*, Params>> entries_;
  std::vector<std::pair<const char*, std::string>> copies_;
};

}  // namespace annolog::projections
