#include "platform/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace annolog::platform::metrics_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, are_exposed_in_the_text_format) {
  Metrics metrics;
  metrics.counter({"annolog_requests_total", "Requests.", {{"method", "GET"}}}).add();
  metrics.counter({"annolog_requests_total", "Requests.", {{"method", "GET"}}}).add(2);
  metrics.gauge({"annolog_queue_depth", "Waiting tasks."}).set(4);
  metrics.histogram({"annolog_wait_seconds", "Waits."}, {0.1, 1}).observe(0.5);
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("# HELP annolog_requests_total Requests.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE annolog_requests_total counter\n"));
  EXPECT_THAT(text, HasSubstr("annolog_requests_total{method=\"GET\"} 3"));
  EXPECT_THAT(text, HasSubstr("annolog_queue_depth 4"));
  EXPECT_THAT(text, HasSubstr("annolog_wait_seconds_bucket{le=\"0.1\"} 0"));
  EXPECT_THAT(text, HasSubstr("annolog_wait_seconds_bucket{le=\"1\"} 1"));
  EXPECT_THAT(text, HasSubstr("annolog_wait_seconds_count 1"));
}

TEST(Metrics, label_values_are_escaped) {
  Metrics metrics;
  metrics.gauge({"g", "G.", {{"path", "a\"b\\c\nd"}}}).set(1);
  EXPECT_THAT(metrics.expose(), HasSubstr(R"(g{path="a\"b\\c\nd"} 1)"));
}

TEST(Metrics, a_counter_never_falls) {
  Metrics metrics;
  const Counter counter = metrics.counter({"c_total", "C."});
  counter.add(5);
  counter.add(-3);
  EXPECT_EQ(counter.value(), 5);
}

TEST(Metrics, names_that_the_format_does_not_allow_are_refused) {
  Metrics metrics;
  EXPECT_THROW(metrics.counter({"with space", "x"}), std::invalid_argument);
  EXPECT_THROW(metrics.gauge({"", "x"}), std::invalid_argument);
  EXPECT_THROW(metrics.gauge({"ok", "x", {{"bad-label", "v"}}}), std::invalid_argument);
  EXPECT_THROW(metrics.histogram({"h", "x"}, {2, 1}), std::invalid_argument);
}

TEST(Metrics, one_name_is_of_one_kind) {
  Metrics metrics;
  metrics.counter({"taken", "x"});
  EXPECT_THROW(metrics.gauge({"taken", "x"}), std::invalid_argument);
}

TEST(Metrics, labels_without_end_share_a_series) {
  Metrics metrics;
  for (std::size_t i = 0; i < Metrics::kMaxSeriesPerName + 10; ++i) {
    metrics.counter({"c_total", "C.", {{"user", std::to_string(i)}}}).add();
  }
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("c_total{user=\"other\"} 10"));
  EXPECT_THAT(text, Not(HasSubstr("{user=\"1005\"}")));
}

TEST(Metrics, are_refreshed_before_they_are_exposed) {
  Metrics metrics;
  const Gauge gauge = metrics.gauge({"g", "G."});
  metrics.before_expose([gauge] { gauge.add(1); });
  EXPECT_THAT(metrics.expose(), HasSubstr("g 1\n"));
  EXPECT_THAT(metrics.expose(), HasSubstr("g 2\n"));
}

}  // namespace
}  // namespace annolog::platform::metrics_test
