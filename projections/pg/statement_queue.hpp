// Statements with their parameters, ready to be sent in order: what a batch of events becomes
// before any of it goes to PostgreSQL. One thread.
#pragma once

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
  void append(StatementQueue&& other) {
    for (auto& entry : other.entries_) entries_.push_back(std::move(entry));
    other.entries_.clear();
  }

  // Outside a transaction or pipeline: a failed PREPARE would spoil it.
  void prepare_on(PgConnection& connection) const {
    for (const auto& [statement, params] : entries_) connection.prepare(*statement);
  }
  // Within a pipeline.
  void send_on(PgConnection& connection) const {
    for (const auto& [statement, params] : entries_) connection.send(*statement, params);
  }

 private:
  std::vector<std::pair<const Statement*, Params>> entries_;
};

}  // namespace annolog::projections
