#include "tests/unit/api/http/toy_server.hpp"

#include <chrono>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "api/http/file_source.hpp"
#include "api/http/websocket_handoff.hpp"

namespace annolog::http {

namespace {

DomainError refuse(DomainError::Kind kind, std::string code) {
  return {kind, std::move(code), "Refused.", {}, {}, 0};
}

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return text_.size(); }
  awaitable<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
    co_return text_.copy(buffer.data(), std::min<std::size_t>(buffer.size(), 3), offset);
  }

 private:
  std::string text_;
};

awaitable<HandlerResult> echo(Call& call) {
  const ToyBody& body = call.body<ToyBody>();
  co_return reply(201, body).version(1).header("Location", "/toys/1");
}

awaitable<HandlerResult> count_upload(Call& call) {
  std::array<char, 4096> buffer{};
  std::int64_t bytes = 0;
  std::int64_t sum = 0;
  while (true) {
    BOOST_OUTCOME_CO_TRY(const std::size_t count, co_await call.body_reader().read_some(buffer));
    if (count == 0) break;
    bytes += static_cast<std::int64_t>(count);
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<unsigned char>(buffer[i]);
  }
  co_return reply(200, std::vector<std::int64_t>{bytes, sum});
}

StreamBody endless(ToySigns& signs) {
  return [&signs](BodyWriter& out) -> awaitable<void> {
    const std::string block(64 * 1024, 'e');
    try {
      while (true) co_await out.write(block);
    } catch (const ClientGone&) {
      signs.set(&ToySigns::client_gone);
      throw;
    }
  };
}

// Two words, one at a time, then nothing more until the client has gone.
StreamBody words(Call& call, ToySigns& signs) {
  return [&call, &signs](BodyWriter& out) -> awaitable<void> {
    for (const char* word : {"one", "two"}) {
      co_await out.write(word);
      co_await out.flush();
    }
    boost::asio::steady_timer timer(call.executor());
    while (!call.client_has_gone()) {
      timer.expires_after(std::chrono::milliseconds(2));
      co_await timer.async_wait(boost::asio::use_awaitable);
    }
    signs.set(&ToySigns::client_gone);
  };
}

// Answers with what it was handed over, then closes.
awaitable<HandlerResult> take_over(Call& call) {
  DetachedConnection raw = call.take_socket();
  co_await boost::asio::async_write(raw.socket, boost::asio::buffer(raw.received),
                                    boost::asio::use_awaitable);
  co_return no_content();
}

Route open_route(Method method, std::string path, std::string id, Handler handler) {
  return Route{.method = method,
               .path = std::move(path),
               .operation_id = std::move(id),
               .summary = "A toy route",
               .tag = "toys",
               .access = Access::open(),
               .handler = std::move(handler)};
}

void add_streams(RouteTable& routes, ToySigns& signs, platform::ThreadPool& pool) {
  routes.push_back(open_route(Method::get, "/raw", "raw", take_over));
  routes.push_back(open_route(
      Method::get, "/disk/{name:path}", "disk", [&pool](Call& call) -> awaitable<HandlerResult> {
        std::string path = std::string(ANNOLOG_SOURCE_DIR) + "/" + std::string(call.text("name"));
        BOOST_OUTCOME_CO_TRY(SourceBody file, co_await open_file(pool, std::move(path)));
        co_return bytes("text/plain", std::move(file));
      }));
  routes.push_back(
      open_route(Method::get, "/stream", "stream", [](Call&) -> awaitable<HandlerResult> {
        co_return stream("text/plain", [](BodyWriter& out) -> awaitable<void> {
          for (int i = 0; i < 1000; ++i) co_await out.write(std::to_string(i) + "\n");
        });
      }));
  routes.push_back(
      open_route(Method::get, "/broken", "broken", [](Call&) -> awaitable<HandlerResult> {
        co_return stream("text/plain", [](BodyWriter& out) -> awaitable<void> {
          co_await out.write("half");
          throw std::runtime_error("the source broke");
        });
      }));
  routes.push_back(
      open_route(Method::get, "/endless", "endless", [&signs](Call&) -> awaitable<HandlerResult> {
        co_return stream("text/plain", endless(signs));
      }));
  Route slow_words =
      open_route(Method::get, "/words", "words", [&signs](Call& call) -> awaitable<HandlerResult> {
        co_return stream("text/event-stream", words(call, signs));
      });
  slow_words.reply = or_as(replies<std::int64_t>(200), "text/event-stream");
  routes.push_back(slow_words);
  Route file = open_route(Method::get, "/file", "file", [](Call&) -> awaitable<HandlerResult> {
    co_return bytes("text/plain", std::make_shared<TextSource>("0123456789"), "\"v1\"");
  });
  file.reply = replies_bytes("Ten digits.");
  routes.push_back(file);
  routes.push_back(open_route(Method::get, "/kept", "kept", [](Call&) -> awaitable<HandlerResult> {
    co_return reply(200, true).header("Cache-Control", "max-age=60");
  }));
  Route upload = open_route(Method::put, "/upload", "upload", count_upload);
  upload.body = Body::stream({"application/octet-stream", "image/*"}, 1'000'000);
  routes.push_back(upload);
}

void add_failures(RouteTable& routes, ToySigns& signs, platform::ThreadPool& pool) {
  routes.push_back(
      open_route(Method::get, "/throws", "throws", [](Call&) -> awaitable<HandlerResult> {
        throw std::runtime_error("secret detail");
        co_return no_content();
      }));
  routes.push_back(open_route(Method::get, "/away", "away", [](Call&) -> awaitable<HandlerResult> {
    throw Unavailable("The database is away.", 3);
    co_return no_content();
  }));
  routes.push_back(
      open_route(Method::get, "/waits", "waits", [&](Call&) -> awaitable<HandlerResult> {
        BOOST_OUTCOME_CO_TRY(const bool done, co_await blocking(pool, [&] {
                               signs.set(&ToySigns::entered);
                               return signs.wait(&ToySigns::released);
                             }));
        co_return reply(200, done);
      }));
  routes.push_back(
      open_route(Method::get, "/pool-throws", "poolThrows", [&](Call&) -> awaitable<HandlerResult> {
        BOOST_OUTCOME_CO_TRY(
            co_await blocking(pool, [] { throw std::runtime_error("from the pool"); }));
        co_return no_content();
      }));
}

}  // namespace

RouteTable toy_routes(ToySigns& signs, platform::ThreadPool& pool) {
  RouteTable routes;
  Route create = open_route(Method::post, "/toys", "createToy", echo);
  create.body = Body::json<ToyBody>();
  create.reply = replies<ToyBody>(201);
  routes.push_back(create);
  Route list = open_route(
      Method::get, "/toys", "listToys",
      [](Call& call) -> awaitable<HandlerResult> { co_return reply(200, call.query<ToyQuery>()); });
  list.query = query_of<ToyQuery>();
  list.reply = replies<std::vector<ToyBody>>(200);
  routes.push_back(list);
  Route one = open_route(Method::get, "/toys/{toy_id}", "getToy",
                         [](Call& call) -> awaitable<HandlerResult> {
                           co_return reply(200, call.id<TaskId>("toy_id")).version(7);
                         });
  one.access = Access::needs(Action::read_project, Scope::task, "toy_id");
  routes.push_back(one);
  Route remove = open_route(Method::del, "/toys/{toy_id}", "deleteToy",
                            [](Call& call) -> awaitable<HandlerResult> {
                              BOOST_OUTCOME_CO_TRY(call.if_match().check(7));
                              co_return no_content();
                            });
  remove.access = Access::needs(Action::own, Scope::task, "toy_id");
  remove.if_match = true;
  routes.push_back(remove);
  Route unpaint = open_route(Method::del, "/toys/{toy_id}/paint", "unpaintToy",
                             [](Call&) -> awaitable<HandlerResult> { co_return no_content(); });
  unpaint.access = Access::needs(Action::own, Scope::task, "toy_id");
  routes.push_back(unpaint);
  routes.push_back(open_route(
      Method::post, "/toys/{toy_id}:paint", "paintToy", [](Call& call) -> awaitable<HandlerResult> {
        co_return reply(200, "paint " + std::to_string(call.number("toy_id")));
      }));
  routes.push_back(open_route(
      Method::get, "/toys/newest", "newestToy",
      [](Call&) -> awaitable<HandlerResult> { co_return reply_text("text/plain", "newest"); }));
  routes.push_back(open_route(Method::get, "/names/{name}/{rest:path}", "names",
                              [](Call& call) -> awaitable<HandlerResult> {
                                co_return reply_text("text/plain",
                                                     std::string(call.text("name")) + "|" +
                                                         std::string(call.text("rest")));
                              }));
  routes.push_back(
      open_route(Method::get, "/address", "address", [](Call& call) -> awaitable<HandlerResult> {
        co_return reply_text("text/plain", call.head().client_address);
      }));
  add_streams(routes, signs, pool);
  add_failures(routes, signs, pool);
  return routes;
}

awaitable<Result<Caller>> ToyGate::authenticate(const RequestHead& head, const Access&) {
  if (head.header("authorization") != "Bearer good") {
    co_return refuse(DomainError::Kind::unauthenticated, "UNAUTHENTICATED");
  }
  Caller caller;
  caller.id = UserId{7};
  co_return caller;
}

awaitable<Result<void>> ToyGate::authorise(const Caller&, const Access& access,
                                           const PathParams& params) {
  if (params.number(access.param()) == 404) co_return not_found("toy");
  if (access.action() == Action::own && params.number(access.param()) != 5) {
    co_return refuse(DomainError::Kind::forbidden, "FORBIDDEN");
  }
  co_return success();
}

void ToyObserver::finished(const RequestRecord& record) noexcept {
  const std::scoped_lock lock(mutex_);
  lines_.push_back(std::string(to_string(record.head.method)) + " " +
                   (record.route != nullptr ? record.route->path : "-") + " " +
                   std::to_string(record.status) + " " + std::to_string(record.user_id.value));
  changed_.notify_all();
}

void ToyObserver::failed(const RequestRecord&, std::string_view what) noexcept {
  const std::scoped_lock lock(mutex_);
  failures_.emplace_back(what);
}

bool ToyObserver::wait_finished(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return lines_.size() >= count; });
}

std::vector<std::string> ToyObserver::lines() {
  const std::scoped_lock lock(mutex_);
  return lines_;
}

std::vector<std::string> ToyObserver::failures() {
  const std::scoped_lock lock(mutex_);
  return failures_;
}

void ToySigns::set(bool ToySigns::* sign) {
  const std::scoped_lock lock(mutex);
  this->*sign = true;
  changed.notify_all();
}

bool ToySigns::wait(bool ToySigns::* sign) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::seconds(20), [&] { return this->*sign; });
}

ToyServer::ToyServer(Limits limits, std::string trusted_proxies)
    : router(std::make_unique<Router>(toy_routes(signs, pool))) {
  ServerOptions options{.port = 0, .io_threads = 2, .limits = limits};
  options.trusted_proxies = std::move(trusted_proxies);
  options.cors_origins = {"https://ui.example"};
  server = std::make_unique<Server>(options, ServerParts{*router, gate, clock, observer, pool});
  server->start();
}

ToyServer::~ToyServer() {
  signs.set(&ToySigns::released);
  pool.stop(std::chrono::seconds(10));
  server->stop(std::chrono::seconds(1));
}

std::string request(const std::string& method, const std::string& target,
                    const std::string& headers, const std::string& body) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: toy\r\n" + headers;
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

Answer ToyServer::get(const std::string& target, const std::string& headers) const {
  return RawClient(server->port()).ask(request("GET", target, headers));
}

Answer ToyServer::post(const std::string& target, const std::string& body,
                       const std::string& headers) const {
  return RawClient(server->port()).ask(request("POST", target, headers, body));
}

}  // namespace annolog::http
