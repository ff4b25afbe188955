#include "platform/log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace annolog::platform::log_test {
namespace {

class LogTest : public ::testing::Test {
 protected:
  ManualClock clock_{Timestamp{1'769'846'400'000}};
  std::vector<std::string> lines_;
  Logger logger_{clock_, LogLevel::info,
                 [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(LogTest, a_line_is_one_json_object_with_its_fields_in_order) {
  const std::string text = "127.0.0.1";
  logger_.info("listening", {{"address", text}, {"port", 8080}, {"load", 0.5}, {"tls", false}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0], R"({"ts":"2026-01-31T08:00:00.000Z","level":"info","msg":"listening",)"
                       R"("address":"127.0.0.1","port":8080,"load":0.5,"tls":false})");
}

TEST_F(LogTest, lines_below_the_level_are_left_out) {
  logger_.debug("no");
  logger_.set_level(LogLevel::error);
  logger_.warn("no");
  logger_.error("yes");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(lines_[0])["level"], "error");
}

TEST_F(LogTest, any_bytes_make_valid_json_on_one_line) {
  const std::string hostile[] = {
      "\"quoted\\\"",
      "line\nbreak\r\t",
      std::string("nul\0end", 7),
      "\x1b[31mred",
      "\x7f",
      "\xff\xfe",
      "\xc3",
      "\xc0\xaf",
      "\xed\xa0\x80",
      "\xf4\x90\x80\x80",
      "\xf0\x9f\x98",
  };
  for (const std::string& text : hostile) {
    lines_.clear();
    logger_.info(text, {{"value", text}, {text, 1}});
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].find_first_of("\n\r\x1b\x7f"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(lines_[0])) << lines_[0];
  }
}

TEST_F(LogTest, good_utf8_stays_and_bad_bytes_are_marked) {
  logger_.info("Ж€😀", {{"bad",
                         "a\xff"
                         "b"}});
  const auto line = nlohmann::json::parse(lines_.at(0));
  EXPECT_EQ(line["msg"], "Ж€😀");
  EXPECT_EQ(line["bad"], "a\uFFFDb");
}

TEST_F(LogTest, numbers_that_json_has_no_word_for_become_null) {
  logger_.info("x", {{"nan", std::nan("")}, {"inf", HUGE_VAL}, {"big", 1e300}});
  const auto line = nlohmann::json::parse(lines_.at(0));
  EXPECT_TRUE(line["nan"].is_null());
  EXPECT_TRUE(line["inf"].is_null());
  EXPECT_EQ(line["big"], 1e300);
}

TEST_F(LogTest, a_field_cannot_pass_for_the_level_or_the_message) {
  logger_.info("x", {{"level", "error"}, {"msg", "y"}, {"ts", 0}});
  const auto line = nlohmann::json::parse(lines_.at(0));
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["level_"], "error");
  EXPECT_EQ(line["msg"], "x");
}

TEST_F(LogTest, huge_values_are_cut) {
  logger_.info("x", {{"huge", std::string(1'000'000, 'a')}});
  EXPECT_LT(lines_.at(0).size(), Logger::kMaxValueBytes + 200);
}

TEST(Log, a_writer_that_throws_never_reaches_the_caller) {
  const ManualClock clock;
  Logger logger(clock, LogLevel::info, [](std::string_view) { throw std::runtime_error("full"); });
  logger.error("still here");
}

TEST(Log, lines_of_many_threads_do_not_mix) {
  const ManualClock clock;
  std::vector<std::string> lines;
  Logger logger(clock, LogLevel::info, [&](std::string_view line) { lines.emplace_back(line); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&logger, t] {
      for (int i = 0; i < 100; ++i) logger.info("x", {{"thread", t}, {"i", i}});
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines.size(), 400U);
  for (const auto& line : lines) EXPECT_TRUE(nlohmann::json::accept(line));
}

TEST(LogLevel, names_are_exact) {
  EXPECT_EQ(log_level_from("warn"), LogLevel::warn);
  EXPECT_EQ(log_level_from("WARN"), std::nullopt);
  EXPECT_EQ(log_level_from(""), std::nullopt);
}

}  // namespace
}  // namespace annolog::platform::log_test
