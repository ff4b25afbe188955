// Reads asked on a connection's own I/O thread, over a few connections to PostgreSQL that belong to
// that thread: no other thread has to be woken for them, and PostgreSQL goes from one to the next
// without a pause (projections/pg/line.hpp). For reads that an index answers quickly and whose
// answer is cheap to take. An I/O thread's lines are opened by the read threads when they are first
// wanted; until then, and while they are full, slow or broken, the caller asks as others do
// (ask.hpp). Nobody waits for long behind a question that hangs: they ask elsewhere, too. What is
// planned for its values may take longer than others: it has a line of its own, one at a time.
// One set per I/O thread, and only used there. Source: docs/decisions/0037.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>

#include "platform/metrics.hpp"
#include "platform/thread_pool.hpp"
#include "projections/pg/connection.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api {

struct ReadLineParts {
  projections::ReadPool& reads;
  platform::ThreadPool& threads;
  platform::Counter broken;                // lines that broke, or could not be opened
  std::size_t asked_max = 64;              // on a line, not answered
  std::chrono::milliseconds patience{25};  // with a question before one's own
};

class ReadLines final : public boost::asio::execution_context::service {
 public:
  using key_type = ReadLines;
  static boost::asio::execution_context::id id;

  // Those of the executor's thread, which must be the caller's. The parts must outlive it.
  static ReadLines& of(const boost::asio::any_io_executor& executor, const ReadLineParts& parts);

  explicit ReadLines(boost::asio::execution_context& context);  // for of()
  ~ReadLines() override;

  // None: ask elsewhere. Throws projections::ReadUnavailable when PostgreSQL took too long.
  boost::asio::awaitable<std::optional<projections::Rows>> ask(
      const projections::Statement& statement, const projections::Params& params);

 private:
  struct Line;
  static constexpr std::size_t kLines = 2;

  void shutdown() noexcept override;
  Line* shortest();
  Line* for_values();
  void open(const std::shared_ptr<Line>& line);

  const ReadLineParts* parts_ = nullptr;
  std::array<std::shared_ptr<Line>, kLines + 1> lines_;  // the last one: for values
};

}  // namespace annolog::api
