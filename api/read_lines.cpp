#include "api/read_lines.hpp"

#include <deque>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "projections/pg/line.hpp"

namespace annolog::api {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kServerGrace{2'000};  // beyond PostgreSQL's own limit
constexpr std::chrono::milliseconds kPauseToOpen{1'000};  // between tries
constexpr const char* kCanceled = "57014";                // by statement_timeout

}  // namespace

asio::execution_context::id ReadLines::id;

// Held by the lines and by its own waits for the socket.
struct ReadLines::Line : std::enable_shared_from_this<Line> {
  using Answer = projections::PgLine::Answer;
  struct Waiting {
    Clock::time_point since;
    std::optional<Answer>* answer;  // none: ask elsewhere
    platform::Task resume;          // empty: was told already

    // What goes on with the answer then.
    platform::Task told(std::optional<Answer> what) {
      if (resume) *answer = std::move(what);
      return std::exchange(resume, {});
    }
  };

  Line(asio::any_io_executor the_executor, const ReadLineParts& the_parts, bool is_for_values)
      : executor(std::move(the_executor)),
        parts(the_parts),
        plans_for_values(is_for_values),
        socket(executor),
        timer(executor) {}

  void start(std::unique_ptr<projections::PgConnection> connection);
  void ask(const projections::Statement& statement, const projections::Params& params,
           Waiting waiting);
  void flush();
  void listen();
  std::vector<platform::Task> take_answers();
  void later(platform::Task told);
  void watch();
  void look_at_oldest();
  void fail();
  bool is_slow(Clock::time_point now) const {
    return !waiting.empty() && now - waiting.front().since > parts.patience;
  }

  asio::any_io_executor executor;
  const ReadLineParts& parts;
  const bool plans_for_values;
  asio::posix::stream_descriptor socket;
  asio::steady_timer timer;
  std::unique_ptr<projections::PgLine> pg;  // null: not open
  std::deque<Waiting> waiting;              // in the order that they were asked
  bool opening = false;
  bool flushing = false;  // until the socket takes more
  bool listening = false;
  bool watched = false;
  Clock::time_point open_after{};
};

// Null: it could not be opened.
void ReadLines::Line::start(std::unique_ptr<projections::PgConnection> connection) {
  opening = false;
  try {
    if (!connection) return fail();
    pg = std::make_unique<projections::PgLine>(std::move(connection));
    socket.assign(pg->socket());
  } catch (const std::exception&) {
    fail();
  }
}

void ReadLines::Line::ask(const projections::Statement& statement,
                          const projections::Params& params, Waiting one) {
  waiting.push_back(std::move(one));
  try {
    pg->ask(statement, params);
  } catch (const projections::PgUnavailable&) {
    return fail();
  }
  watch();
  if (!flushing) flush();
  if (!listening) listen();
}

void ReadLines::Line::flush() {
  if (!pg) return;
  try {
    flushing = !pg->flush();
  } catch (const projections::PgUnavailable&) {
    return fail();
  }
  if (!flushing) return;
  // A full socket is emptied of answers by the way.
  for (auto& each : take_answers()) later(std::move(each));
  if (!pg) return;
  socket.async_wait(asio::posix::stream_descriptor::wait_write,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (!error) self->flush();
                    });
}

// While somebody waits: PostgreSQL works while the reactor is told so. A line that breaks while
// nobody does is found out by the next question.
void ReadLines::Line::listen() {
  if (!pg || waiting.empty()) return;
  listening = true;
  socket.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (error) return;
                      self->listening = false;
                      for (auto& each : self->take_answers()) each();
                      if (!self->listening) self->listen();
                    });
}

// Not from within the caller's own question.
void ReadLines::Line::later(platform::Task told) {
  if (told) asio::post(executor, std::move(told));
}

// What goes on with each answer that has come. The line may break by it.
std::vector<platform::Task> ReadLines::Line::take_answers() {
  std::vector<platform::Task> told;
  if (!pg) return told;
  try {
    pg->take_input();
    while (auto answer = pg->next()) {
      // Whoever asks elsewhere hears what is wrong.
      const bool is_refused = !answer->sqlstate.empty() && answer->sqlstate != kCanceled;
      auto resumed = waiting.front().told(is_refused ? std::nullopt : std::move(answer));
      if (resumed) told.push_back(std::move(resumed));
      waiting.pop_front();
    }
  } catch (const projections::PgUnavailable&) {
    fail();
  }
  return told;
}

// While somebody waits, the oldest question is looked at now and then.
void ReadLines::Line::watch() {
  if (watched || waiting.empty()) return;
  watched = true;
  timer.expires_after(parts.patience);
  timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error) return;
    self->watched = false;
    self->look_at_oldest();
    self->watch();
  });
}

// It hangs: nobody else shall wait for it. Their answers come all the same, to nobody.
void ReadLines::Line::look_at_oldest() {
  const auto now = Clock::now();
  if (!is_slow(now)) return;
  for (auto behind = std::next(waiting.begin()); behind != waiting.end(); ++behind)
    later(behind->told(std::nullopt));
  const auto most = std::chrono::milliseconds(parts.reads.options().statement_ms) + kServerGrace;
  if (now - waiting.front().since <= most) return;
  later(waiting.front().told(Answer{projections::Rows(nullptr), kCanceled}));
  fail();
}

void ReadLines::Line::fail() {
  parts.broken.add();
  if (socket.is_open()) socket.release();  // its owner closes it
  pg.reset();
  flushing = false;
  listening = false;
  open_after = Clock::now() + kPauseToOpen;
  for (auto& one : std::exchange(waiting, {})) later(one.told(std::nullopt));
}

ReadLines::ReadLines(asio::execution_context& context) : service(context) {}

ReadLines::~ReadLines() = default;

void ReadLines::shutdown() noexcept {
  for (auto& line : lines_) {
    if (!line) continue;
    line->waiting.clear();
    if (line->socket.is_open()) line->socket.release();
    line->pg.reset();
    line.reset();
  }
}

ReadLines& ReadLines::of(const asio::any_io_executor& executor, const ReadLineParts& parts) {
  auto& lines = asio::use_service<ReadLines>(asio::query(executor, asio::execution::context));
  if (lines.parts_ == nullptr) {
    lines.parts_ = &parts;
    for (auto& line : lines.lines_)
      line = std::make_shared<Line>(executor, parts, &line == &lines.lines_.back());
  }
  return lines;
}

void ReadLines::open(const std::shared_ptr<Line>& line) {
  if (line->opening || Clock::now() < line->open_after) return;
  line->opening = parts_->threads.try_post(
      [&reads = parts_->reads, line, guard = asio::make_work_guard(line->executor)] {
        std::unique_ptr<projections::PgConnection> connection;
        try {
          connection = reads.dedicated(reads.options().statement_ms);
          if (line->plans_for_values) connection->plan_for_values();
        } catch (const std::exception&) {  // whoever asks elsewhere hears why
          connection.reset();
        }
        asio::post(line->executor, [line, connection = std::move(connection)]() mutable {
          line->start(std::move(connection));
        });
      });
}

ReadLines::Line* ReadLines::shortest() {
  Line* best = nullptr;
  const auto now = Clock::now();
  for (const auto& line : std::span(lines_).first(kLines)) {
    if (!line->pg) {
      open(line);
      continue;
    }
    if (line->waiting.size() >= parts_->asked_max || line->is_slow(now)) continue;
    if (best == nullptr || line->waiting.size() < best->waiting.size()) best = line.get();
  }
  return best;
}

ReadLines::Line* ReadLines::for_values() {
  const auto& line = lines_.back();
  if (!line->pg) open(line);
  return line->pg && line->waiting.empty() ? line.get() : nullptr;
}

asio::awaitable<std::optional<projections::Rows>> ReadLines::ask(
    const projections::Statement& statement, const projections::Params& params) {
  Line* line = statement.kept ? shortest() : for_values();
  if (line == nullptr) co_return std::nullopt;
  std::optional<Line::Answer> answer;
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [&](auto handler) {
        line->ask(statement, params,
                  {Clock::now(), &answer,
                   [resumed = std::move(handler)]() mutable { std::move(resumed)(); }});
      },
      asio::use_awaitable);
  if (!answer) co_return std::nullopt;
  if (!answer->sqlstate.empty())
    throw projections::ReadUnavailable("PostgreSQL took too long to answer");
  co_return std::move(answer->rows);
}

}  // namespace annolog::api
