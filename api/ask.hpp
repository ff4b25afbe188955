// A read that is one statement, asked where the call is: on its own I/O thread's lines if they are
// at hand, else on the read threads. For answers that are cheap to take. Errors as of read().
#pragma once

#include "api/read_lines.hpp"
#include "api/work.hpp"
#include "projections/queries/question.hpp"

namespace annolog::api {

template <class Answer>
awaitable<Result<Answer>> ask(Call& call, Services& services,
                              projections::Question<Answer> question) {
  auto& lines = ReadLines::of(call.executor(), services.read_lines);
  try {
    if (auto rows = co_await lines.ask(*question.statement, question.params))
      co_return question.read(*rows);
  } catch (const projections::ReadUnavailable&) {
    co_return reads_away();
  }
  co_return co_await read(services, [&] { return projections::ask(services.reads, question); });
}

}  // namespace annolog::api
