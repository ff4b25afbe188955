// A server with a small table of routes that use every part of the framework, and its observer.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/http/blocking.hpp"
#include "api/http/route.hpp"
#include "api/http/server.hpp"
#include "platform/clock.hpp"
#include "tests/unit/api/http/raw_client.hpp"

namespace annolog::http {

enum class ToyColour { red, green };
BOOST_DESCRIBE_ENUM(ToyColour, red, green)

struct ToyBox {
  static constexpr std::string_view kTag = "box";
  double x = 0;
};
BOOST_DESCRIBE_STRUCT(ToyBox, (), (x))
struct ToyLine {
  static constexpr std::string_view kTag = "line";
  std::vector<double> points;
};
BOOST_DESCRIBE_STRUCT(ToyLine, (), (points))

struct ToyBody {
  std::string name;
  std::optional<std::int64_t> size, serial;
  ToyColour colour = ToyColour::green;
  std::vector<std::variant<ToyBox, ToyLine>> shapes;
  Patch<std::string> note;
  std::optional<Timestamp> at;
  std::optional<ProjectId> project_id;
};
BOOST_DESCRIBE_STRUCT(ToyBody, (), (name, size, serial, colour, shapes, note, at, project_id))

template <>
struct SchemaRules<ToyBody> {
  static constexpr std::string_view kName = "Toy";
  static void apply(ObjectRules& rules) {
    rules.describe("A toy.");
    rules.field("name")
        .length(1, 10)
        .pattern("[^!]*", "must not shout")
        .describe("What it is called.");
    rules.field("size").range(1, 100);
    rules.field("colour").defaulted();
    rules.field("shapes").items(0, 3).defaulted();
  }
  static void check(const ToyBody& body, std::vector<FieldError>& errors) {
    if (body.name == "taken") errors.push_back({{std::string("name")}, "is taken", "taken"});
  }
};

struct ToyQuery {
  std::int64_t limit = 50;
  std::optional<std::string> cursor;
  std::vector<ToyColour> colours;
  bool all = false;
};
BOOST_DESCRIBE_STRUCT(ToyQuery, (), (limit, cursor, colours, all))

template <>
struct SchemaRules<ToyQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("limit").range(1, 200).defaulted().describe("How many at most.");
    rules.field("colours").defaulted();
    rules.field("all").defaulted();
  }
};

// Knows one token, "good", of user 7, who may do everything but own.
class ToyGate final : public Gate {
 public:
  awaitable<Result<Caller>> authenticate(const RequestHead& head, const Access&) override;
  awaitable<Result<void>> authorise(const Caller&, const Access&, const PathParams&) override;
};

class ToyObserver final : public RequestObserver {
 public:
  void finished(const RequestRecord& record) noexcept override;
  void failed(const RequestRecord& record, std::string_view what) noexcept override;
  // Waits until so many requests are over, 20 s at most.
  bool wait_finished(std::size_t count);
  std::vector<std::string> lines();     // "GET /toys/{toy_id} 200 7"
  std::vector<std::string> failures();  // what was thrown

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::vector<std::string> failures_;
};

// What routes tell the test.
struct ToySigns {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false;   // the waiting route is in its handler
  bool released = false;  // it may go on
  bool client_gone = false;
  void set(bool ToySigns::* sign);
  bool wait(bool ToySigns::* sign);
};

RouteTable toy_routes(ToySigns& signs, platform::ThreadPool& pool);

class ToyServer {
 public:
  explicit ToyServer(Limits limits = {}, std::string trusted_proxies = {});
  ~ToyServer();
  RawClient client() const { return RawClient(server->port()); }  // a new connection
  Answer get(const std::string& target, const std::string& headers = {}) const;
  Answer post(const std::string& target, const std::string& body,
              const std::string& headers = "Content-Type: application/json\r\n") const;

  ToySigns signs;
  platform::SystemClock clock;
  platform::ThreadPool pool{{.name = "toy", .threads = 1, .queue_limit = 4}};
  ToyGate gate;
  ToyObserver observer;
  std::unique_ptr<Router> router;
  std::unique_ptr<Server> server;
};

std::string request(const std::string& method, const std::string& target,
                    const std::string& headers = {}, const std::string& body = {});

}  // namespace annolog::http
