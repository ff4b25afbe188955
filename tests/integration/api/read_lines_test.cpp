// Reads asked on an I/O thread's own lines to PostgreSQL.
#include "api/read_lines.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "tests/integration/projections/database.hpp"

namespace annolog::api::read_lines_test {
namespace {

namespace asio = boost::asio;
using projections::Params;
using projections::ReadUnavailable;
using projections::Statement;
using namespace std::chrono_literals;

constexpr Statement kEcho{"echo", "SELECT $1::bigint"};
constexpr Statement kPid{"pid", "SELECT pg_backend_pid()::bigint"};
constexpr Statement kWrong{"wrong", "SELECT 1 / $1::bigint"};
constexpr Statement kWaits{"waits", "SELECT pg_advisory_xact_lock_shared($1::bigint)"};
constexpr Statement kForValues{"",
                               "SELECT $1::bigint FROM pg_settings WHERE name = 'plan_cache_mode' "
                               "AND setting = 'force_custom_plan'",
                               false};
constexpr Statement kHowOthersPlan{
    "others",
    "SELECT $1::bigint + 1 WHERE current_setting('plan_cache_mode') = "
    "'force_generic_plan'"};
constexpr Statement kWaitsForValues{"", "SELECT pg_advisory_xact_lock_shared($1::bigint)", false};
constexpr std::int64_t kLock = 77;
constexpr auto kPatience = 20s;

enum class Outcome : std::uint8_t { waiting, answered, elsewhere, too_slow };

struct Asked {
  Outcome outcome = Outcome::waiting;
  std::int64_t number = 0;
};

class ReadLinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    database_.emplace();
    begin(30'000);
  }
  void begin(std::int64_t statement_ms, std::size_t asked_max = 64,
             std::chrono::milliseconds patience = kPatience) {
    if (threads_) threads_->stop(kPatience);
    context_.emplace(1);
    reads_.emplace(projections::ReadPoolOptions{.database_url = database_->url(),
                                                .statement_ms = statement_ms});
    threads_.emplace(platform::ThreadPoolOptions{.name = "reads", .threads = 2, .queue_limit = 10});
    parts_.emplace(ReadLineParts{*reads_, *threads_, broken_, asked_max, patience});
  }
  void TearDown() override {
    if (threads_) threads_->stop(kPatience);
    context_.reset();
  }
  // Who asks kWaits waits for as long as it is held.
  std::unique_ptr<projections::PgConnection> hold_up() const {
    auto connection = projections::testing::connect_to(database_->url());
    connection->run("SELECT pg_advisory_lock(" + std::to_string(kLock) + ")");
    return connection;
  }

  static Params number(std::int64_t value) { return std::move(Params().add(value)); }

  // The answer comes while the context runs.
  std::shared_ptr<Asked> ask(const Statement& statement, Params params) {
    auto asked = std::make_shared<Asked>();
    asio::co_spawn(
        *context_,
        [this, asked, &statement, params = std::move(params)]() -> asio::awaitable<void> {
          auto& lines = ReadLines::of(co_await asio::this_coro::executor, *parts_);
          try {
            const auto rows = co_await lines.ask(statement, params);
            asked->outcome = rows ? Outcome::answered : Outcome::elsewhere;
            if (rows && !rows->empty() && &statement != &kWaits && &statement != &kWaitsForValues) {
              auto row = rows->row(0);
              asked->number = row.integer();
            }
          } catch (const ReadUnavailable&) {
            asked->outcome = Outcome::too_slow;
          }
        },
        asio::detached);
    return asked;
  }
  template <class Condition>
  bool run_until(const Condition& condition) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    context_->restart();
    while (!condition() && std::chrono::steady_clock::now() < until) context_->run_one_for(5ms);
    return condition();
  }
  Asked answer_of(const Statement& statement, Params params) {
    const auto asked = ask(statement, std::move(params));
    EXPECT_TRUE(run_until([&] { return asked->outcome != Outcome::waiting; }));
    return *asked;
  }
  // Asks until one of the lines answers.
  std::int64_t once_open(const Statement& statement, std::int64_t value = 0) {
    Asked asked;
    run_until([&] {
      asked = answer_of(statement, &statement == &kPid ? Params() : number(value));
      return asked.outcome == Outcome::answered;
    });
    EXPECT_EQ(asked.outcome, Outcome::answered);
    return asked.number;
  }
  static bool are_waiting(projections::PgConnection& connection, std::int64_t count) {
    static constexpr Statement kWaiting{
        "waiting",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"};
    auto rows = connection.execute(kWaiting);
    auto row = rows.row(0);
    return row.integer() == count;
  }
  // Until both lines are open: what is asked at once goes to each of them.
  std::array<std::int64_t, 2> open_both() {
    std::array<std::int64_t, 2> pids{};
    EXPECT_TRUE(run_until([&] {
      const auto first = ask(kPid, {});
      const auto second = ask(kPid, {});
      run_until([&] {
        return first->outcome != Outcome::waiting && second->outcome != Outcome::waiting;
      });
      pids = {first->number, second->number};
      return first->outcome == Outcome::answered && second->outcome == Outcome::answered &&
             first->number != second->number;
    }));
    return pids;
  }

  std::optional<projections::testing::Database> database_;
  std::optional<asio::io_context> context_;
  std::optional<projections::ReadPool> reads_;
  std::optional<platform::ThreadPool> threads_;
  platform::Metrics metrics_;
  platform::Counter broken_ = metrics_.counter({"broken_total", "Lines that broke"});
  std::optional<ReadLineParts> parts_;
};

TEST_F(ReadLinesTest, send_who_asks_elsewhere_until_they_are_open) {
  EXPECT_EQ(answer_of(kEcho, number(1)).outcome, Outcome::elsewhere);
  EXPECT_EQ(once_open(kEcho, 42), 42);
}

TEST_F(ReadLinesTest, give_everybody_their_own_answer) {
  once_open(kEcho);
  std::vector<std::shared_ptr<Asked>> all;
  for (std::int64_t i = 0; i < 60; ++i) all.push_back(ask(kEcho, number(i)));
  EXPECT_TRUE(run_until([&] {
    return std::ranges::none_of(all,
                                [](const auto& one) { return one->outcome == Outcome::waiting; });
  }));
  for (std::int64_t i = 0; i < 60; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->outcome, Outcome::answered);
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->number, i);
  }
}

TEST_F(ReadLinesTest, take_no_more_than_they_hold) {
  begin(30'000, 10);
  open_both();
  std::vector<std::shared_ptr<Asked>> all;
  for (std::int64_t i = 0; i < 200; ++i) all.push_back(ask(kEcho, number(i)));
  EXPECT_TRUE(run_until([&] {
    return std::ranges::none_of(all,
                                [](const auto& one) { return one->outcome == Outcome::waiting; });
  }));
  const auto answered =
      std::ranges::count_if(all, [](const auto& one) { return one->outcome == Outcome::answered; });
  EXPECT_EQ(answered, 20);
}

TEST_F(ReadLinesTest, have_one_for_what_is_planned_for_its_values) {
  EXPECT_EQ(answer_of(kForValues, number(1)).outcome, Outcome::elsewhere) << "it is not open yet";
  EXPECT_EQ(once_open(kForValues, 7), 7);
  EXPECT_EQ(once_open(kForValues, 8), 8);
  EXPECT_EQ(once_open(kHowOthersPlan), 1);
}

TEST_F(ReadLinesTest, let_nobody_wait_behind_what_is_planned_for_its_values) {
  once_open(kForValues, 7);
  once_open(kEcho);
  const auto connection = hold_up();
  const auto slow = ask(kWaitsForValues, number(kLock));
  EXPECT_TRUE(run_until([&] { return are_waiting(*connection, 1); }));
  EXPECT_EQ(answer_of(kForValues, number(1)).outcome, Outcome::elsewhere);
  EXPECT_EQ(once_open(kEcho, 6), 6);
  EXPECT_EQ(slow->outcome, Outcome::waiting);
  connection->run("SELECT pg_advisory_unlock_all()");
  EXPECT_TRUE(run_until([&] { return slow->outcome == Outcome::answered; }));
  EXPECT_EQ(answer_of(kForValues, number(9)).number, 9);
}

TEST_F(ReadLinesTest, send_who_asks_something_wrong_elsewhere_to_hear_why) {
  const auto pids = open_both();
  const auto wrong = ask(kWrong, number(0));
  const auto right = ask(kWrong, number(1));
  const auto behind = ask(kEcho, number(2));
  EXPECT_TRUE(run_until(
      [&] { return right->outcome != Outcome::waiting && behind->outcome != Outcome::waiting; }));
  EXPECT_EQ(wrong->outcome, Outcome::elsewhere);
  EXPECT_EQ(right->outcome, Outcome::answered);
  EXPECT_EQ(behind->outcome, Outcome::answered);
  EXPECT_EQ(open_both(), pids) << "no line broke";
  EXPECT_EQ(broken_.value(), 0);
}

TEST_F(ReadLinesTest, prepare_again_what_could_not_be_prepared) {
  constexpr Statement kLater{"later", "SELECT count(*) FROM made_later"};
  once_open(kEcho);
  EXPECT_EQ(answer_of(kLater, {}).outcome, Outcome::elsewhere);
  EXPECT_EQ(answer_of(kLater, {}).outcome, Outcome::elsewhere);
  projections::testing::connect_to(database_->url())->run("CREATE TABLE public.made_later ()");
  const auto answer = answer_of(kLater, {});
  EXPECT_EQ(answer.outcome, Outcome::elsewhere) << "not within reach yet";
  projections::testing::connect_to(database_->url())
      ->run("CREATE SCHEMA read_live; CREATE TABLE read_live.made_later ()");
  EXPECT_EQ(answer_of(kLater, {}).outcome, Outcome::answered);
}

TEST_F(ReadLinesTest, see_the_read_models_that_took_the_place_of_others) {
  constexpr Statement kThings{"things", "SELECT count(*) FROM things"};
  const auto connection = projections::testing::connect_to(database_->url());
  connection->run("CREATE SCHEMA read_live; CREATE TABLE read_live.things AS SELECT 1");
  once_open(kEcho);
  EXPECT_EQ(answer_of(kThings, {}).number, 1);
  connection->run(
      "CREATE SCHEMA next; CREATE TABLE next.things AS SELECT generate_series(1, 3); "
      "BEGIN; ALTER SCHEMA read_live RENAME TO old; ALTER SCHEMA next RENAME TO read_live; COMMIT");
  EXPECT_EQ(answer_of(kThings, {}).number, 3);
}

TEST_F(ReadLinesTest, are_opened_anew_when_their_connections_broke) {
  open_both();
  const auto connection = hold_up();
  const auto first = ask(kWaits, number(kLock));
  const auto second = ask(kWaits, number(kLock));
  run_until([&] { return are_waiting(*connection, 2); });
  connection->run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND pid <> pg_backend_pid()");
  EXPECT_TRUE(run_until(
      [&] { return first->outcome != Outcome::waiting && second->outcome != Outcome::waiting; }));
  EXPECT_EQ(first->outcome, Outcome::elsewhere);
  EXPECT_EQ(second->outcome, Outcome::elsewhere);
  EXPECT_EQ(once_open(kEcho, 5), 5);
}

TEST_F(ReadLinesTest, send_who_finds_them_broken_elsewhere_at_once) {
  open_both();
  const auto connection = projections::testing::connect_to(database_->url());
  // Behind this nobody is there who could answer: it waits until they are gone.
  connection->run(
      "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_EQ(answer_of(kEcho, number(1)).outcome, Outcome::elsewhere);
  EXPECT_EQ(broken_.value(), 1);
  EXPECT_EQ(answer_of(kEcho, number(1)).outcome, Outcome::elsewhere);
  EXPECT_EQ(broken_.value(), 2);
  EXPECT_EQ(once_open(kEcho, 5), 5);
}

TEST_F(ReadLinesTest, answer_who_asks_again_where_they_were_answered) {
  open_both();
  std::vector<std::int64_t> seen;
  asio::co_spawn(
      *context_,
      [&]() -> asio::awaitable<void> {
        auto& lines = ReadLines::of(co_await asio::this_coro::executor, *parts_);
        for (std::int64_t i = 0; i < 100; ++i) {
          const auto rows = co_await lines.ask(kEcho, number(i));
          if (!rows) co_return;
          auto row = rows->row(0);
          seen.push_back(row.integer());
        }
      },
      asio::detached);
  EXPECT_TRUE(run_until([&] { return seen.size() == 100; }));
  EXPECT_EQ(seen.back(), 99);
}

TEST_F(ReadLinesTest, let_nobody_wait_for_long_behind_who_waits) {
  begin(30'000, 64, 25ms);
  open_both();
  const auto connection = hold_up();
  const auto first = ask(kWaits, number(kLock));
  const auto second = ask(kWaits, number(kLock));
  const auto behind = ask(kEcho, number(1));
  EXPECT_TRUE(run_until([&] { return behind->outcome != Outcome::waiting; }));
  EXPECT_EQ(behind->outcome, Outcome::elsewhere);
  EXPECT_EQ(answer_of(kEcho, number(1)).outcome, Outcome::elsewhere);
  EXPECT_EQ(first->outcome, Outcome::waiting);
  EXPECT_EQ(second->outcome, Outcome::waiting);
  connection->run("SELECT pg_advisory_unlock_all()");
  EXPECT_TRUE(run_until(
      [&] { return first->outcome == Outcome::answered && second->outcome == Outcome::answered; }));
  EXPECT_EQ(once_open(kEcho, 6), 6);
  EXPECT_EQ(broken_.value(), 0);
}

TEST_F(ReadLinesTest, say_when_postgresql_took_too_long) {
  begin(200);
  once_open(kEcho);
  const auto connection = hold_up();
  EXPECT_EQ(answer_of(kWaits, number(kLock)).outcome, Outcome::too_slow);
  EXPECT_EQ(once_open(kEcho, 7), 7);
}

TEST_F(ReadLinesTest, give_up_on_a_server_that_says_nothing) {
  begin(200, 64, 25ms);
  const auto pids = open_both();
  for (const auto pid : pids) ASSERT_EQ(::kill(static_cast<pid_t>(pid), SIGSTOP), 0);
  const auto first = ask(kEcho, number(1));
  const auto second = ask(kEcho, number(1));
  EXPECT_TRUE(run_until(
      [&] { return first->outcome != Outcome::waiting && second->outcome != Outcome::waiting; }));
  for (const auto pid : pids) ::kill(static_cast<pid_t>(pid), SIGCONT);
  EXPECT_EQ(first->outcome, Outcome::too_slow);
  EXPECT_EQ(second->outcome, Outcome::too_slow);
  EXPECT_EQ(broken_.value(), 2);
}

TEST_F(ReadLinesTest, end_with_their_thread_while_somebody_waits) {
  open_both();
  const auto connection = hold_up();
  const auto asked = ask(kWaits, number(kLock));
  EXPECT_TRUE(run_until([&] { return are_waiting(*connection, 1); }));
  threads_->stop(kPatience);
  context_.reset();
  EXPECT_EQ(asked->outcome, Outcome::waiting);
  EXPECT_EQ(asked.use_count(), 1) << "who waited is gone";
}

}  // namespace
}  // namespace annolog::api::read_lines_test
