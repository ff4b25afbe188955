// A read that is one statement, as a value: whoever asks it decides who waits for the answer, a
// thread (ReadPool) or nobody (PgLine). Plain values.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "projections/pg/connection.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

template <class Answer>
struct Question {
  const Statement* statement;  // static
  Params params;
  std::function<Answer(const Rows&)> read;
};

template <class Answer>
Answer ask(ReadPool& pool, const Question<Answer>& question) {
  std::optional<Answer> answer;
  pool.with_connection([&](PgConnection& connection) {
    answer = question.read(connection.execute(*question.statement, question.params));
  });
  return std::move(*answer);
}

}  // namespace annolog::projections
