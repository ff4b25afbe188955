// What is logged and counted of a request, and what is not.
#include <gmock/gmock.h>

#include "api/http/access_log.hpp"
#include "platform/clock.hpp"
#include "tests/unit/api/http/toy_server.hpp"

namespace annolog::http::access_log_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HttpAccessLog, WritesOneLineWithoutSecretsAndCounts) {
  ToySigns signs;
  platform::ThreadPool pool{{.name = "toy"}};
  RouteTable routes = toy_routes(signs, pool);
  routes[6].secret_path = true;  // /names/{name}/{rest:path}
  const Router router(std::move(routes));
  const platform::ManualClock clock;
  std::vector<std::string> lines;
  platform::Logger logger(clock, platform::LogLevel::info,
                          [&](std::string_view line) { lines.emplace_back(line); });
  platform::Metrics metrics;
  AccessLog log(router, logger, metrics);

  RequestHead head;
  head.method = Method::get;
  head.target = "/toys?token=hidden";
  head.path = "/toys";
  head.query = "token=hidden";
  head.request_id = "r-1";
  head.client_address = "10.0.0.9";
  RequestRecord record{.head = head};
  record.route_index = 1;
  record.route = &router.routes()[1];
  record.status = 200;
  record.duration_ms = 1.5;
  record.user_id = UserId{7};
  log.finished(record);
  head.path = "/names/hidden/x";
  record.route_index = 6;
  record.route = &router.routes()[6];
  log.finished(record);

  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr("\"route\":\"/toys\""));
  EXPECT_THAT(lines[0], HasSubstr("\"user_id\":7"));
  EXPECT_THAT(lines[0], HasSubstr("\"request_id\":\"r-1\""));
  EXPECT_THAT(lines[0], Not(HasSubstr("hidden")));
  EXPECT_THAT(lines[1], Not(HasSubstr("hidden")));
  EXPECT_THAT(metrics.expose(), HasSubstr("http_requests_total{method=\"GET\",route=\"/toys\","
                                          "status=\"200\"} 1"));
  EXPECT_THAT(metrics.expose(),
              HasSubstr("http_request_duration_seconds_count{route=\"/toys\"} 1"));
}

}  // namespace
}  // namespace annolog::http::access_log_test
