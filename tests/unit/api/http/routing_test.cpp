// Which route answers, who may call it, and what every answer carries.
#include <gmock/gmock.h>

#include "tests/unit/api/http/toy_server.hpp"

namespace annolog::http::routing_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGood = "Authorization: Bearer good\r\n";

TEST(HttpRouting, FindsLiteralBeforeParameterAndVerbSuffixes) {
  ToyServer toy;
  EXPECT_EQ(toy.get("/toys/newest").body, "newest");
  EXPECT_EQ(toy.get("/toys/12", kGood).body, "12");
  EXPECT_EQ(toy.post("/toys/12:paint", "").body, "\"paint 12\"");
  EXPECT_EQ(toy.get("/names/a%20b/c/d%2Fe").body, "a b|c/d/e");
}

TEST(HttpRouting, MalformedIdsAndUnknownPathsAre404) {
  ToyServer toy;
  for (const char* target :
       {"/toys/abc", "/toys/0", "/toys/-1", "/toys/9007199254740992", "/toys/1.0", "/toys/",
        "/nothing", "/toys/12:fly", "/names/%ff/x", "/names/%00/x", "//toys", "/toys/1%2"}) {
    const Answer answer = toy.get(target, kGood);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_THAT(answer.body, HasSubstr("\"code\":\"NOT_FOUND\"")) << target;
  }
  EXPECT_EQ(toy.get("/toys/9007199254740991", kGood).status, 200);
}

TEST(HttpRouting, OtherMethodsAre405WithAllow) {
  ToyServer toy;
  RawClient client = toy.client();
  const Answer answer = client.ask(request("PATCH", "/toys/3"));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("allow"), "OPTIONS, GET, HEAD, DELETE");
  EXPECT_EQ(client.ask(request("BREW", "/toys")).status, 405);
  const Answer options = client.ask(request("OPTIONS", "/toys"));
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("allow"), "OPTIONS, GET, HEAD, POST");
}

TEST(HttpRouting, HeadAnswersAsGetWithoutBody) {
  ToyServer toy;
  RawClient client = toy.client();
  client.send(request("HEAD", "/toys/newest"));
  const Answer answer = client.read(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-length"), "6");
  EXPECT_EQ(client.ask(request("GET", "/toys/newest")).body, "newest");
}

TEST(HttpRouting, GateDecidesBeforeTheHandler) {
  ToyServer toy;
  const Answer nobody = toy.get("/toys/3");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.header("www-authenticate"), HasSubstr("Bearer realm=\"annolog\", error="));
  EXPECT_EQ(toy.get("/toys/404", kGood).status, 404);
  EXPECT_EQ(toy.client().ask(request("DELETE", "/toys/3", kGood)).status, 403);
  EXPECT_EQ(toy.client().ask(request("DELETE", "/toys/5", kGood)).status, 204);
  EXPECT_EQ(toy.get("/toys/3", kGood).header("etag"), "\"7\"");
}

TEST(HttpRouting, IfMatchIsHonoured) {
  ToyServer toy;
  const std::pair<const char*, int> rows[] = {{"\"7\"", 204},        {"*", 204},
                                              {"\"6\", \"7\"", 204}, {"\"6\"", 412},
                                              {"W/\"7\"", 412},      {"7", 400}};
  for (const auto& [tag, status] : rows) {
    const std::string headers = std::string(kGood) + "If-Match: " + tag + "\r\n";
    EXPECT_EQ(toy.client().ask(request("DELETE", "/toys/5", headers)).status, status) << tag;
  }
}

TEST(HttpRouting, IfMatchIsRefusedWhereThereIsNoVersion) {
  ToyServer toy;
  const std::pair<const char*, int> rows[] = {
      {"\"7\"", 412}, {"W/\"7\"", 412}, {"*", 204}, {"7", 400}};
  for (const auto& [tag, status] : rows) {
    const std::string headers = std::string(kGood) + "If-Match: " + tag + "\r\n";
    const Answer answer = toy.client().ask(request("DELETE", "/toys/5/paint", headers));
    EXPECT_EQ(answer.status, status) << tag;
    if (status == 412) EXPECT_THAT(answer.body, HasSubstr("PRECONDITION_FAILED"));
  }
  EXPECT_EQ(toy.client().ask(request("DELETE", "/toys/5/paint", kGood)).status, 204);
  EXPECT_EQ(toy.post("/toys/5:paint", "", "If-Match: \"7\"\r\n").status, 200) << "no change";
}

TEST(HttpRouting, IfNoneMatchSavesTheBodyOfBytesAlone) {
  ToyServer toy;
  const Answer same = toy.get("/file", "If-None-Match: \"v0\", W/\"v1\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.header("etag"), "\"v1\"");
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(toy.get("/file", "If-None-Match: \"v0\"\r\n").status, 200);
  const std::string version = std::string(kGood) + "If-None-Match: \"7\"\r\n";
  EXPECT_EQ(toy.get("/toys/3", version).status, 200) << "shows more than has the version";
  EXPECT_EQ(toy.get("/toys/3", std::string(kGood) + "If-None-Match: *\r\n").status, 200);
}

TEST(HttpRouting, JsonIsStoredNowhereUnlessItsHandlerSaysSo) {
  ToyServer toy;
  EXPECT_EQ(toy.get("/toys/3", kGood).header("cache-control"), "no-store");
  EXPECT_EQ(toy.get("/nothing").header("cache-control"), "no-store");
  EXPECT_EQ(toy.get("/nothing", "Accept: application/problem+json\r\n").header("cache-control"),
            "no-store");
  EXPECT_EQ(toy.get("/kept").header("cache-control"), "max-age=60");
  EXPECT_EQ(toy.get("/file").header("cache-control"), "");
}

TEST(HttpRouting, IdempotencyKeysAreChecked) {
  ToyServer toy;
  const auto status = [&](const std::string& key) {
    return toy.post("/toys/1:paint", "", "Idempotency-Key: " + key + "\r\n").status;
  };
  EXPECT_EQ(status("abc"), 200);
  EXPECT_EQ(status(std::string(128, 'k')), 200);
  EXPECT_EQ(status(std::string(129, 'k')), 422);
  EXPECT_EQ(status("\xc3\xbc"), 422);
}

TEST(HttpRouting, CarriesRequestIdAndTrace) {
  ToyServer toy;
  const Answer echoed =
      toy.get("/toys/newest",
              "X-Request-Id: a.B-1\r\n"
              "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  EXPECT_EQ(echoed.header("x-request-id"), "a.B-1");
  EXPECT_THAT(echoed.header("traceparent"), HasSubstr("00-0af7651916cd43dd8448eb211c80319c-"));
  EXPECT_THAT(echoed.header("traceparent"), Not(HasSubstr("b7ad6b7169203331")));
  const Answer made = toy.get("/nothing", "X-Request-Id: bad id\r\ntraceparent: 00-x\r\n");
  EXPECT_EQ(made.header("x-request-id").size(), 32U);
  EXPECT_EQ(made.header("traceparent").size(), 55U);
}

TEST(HttpRouting, ExceptionsBecome500And503WithoutTheirText) {
  ToyServer toy;
  const Answer failed = toy.get("/throws");
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, HasSubstr("INTERNAL"));
  EXPECT_THAT(failed.body, Not(HasSubstr("secret")));
  EXPECT_THAT(toy.observer.failures(), Contains("secret detail"));
  const Answer away = toy.get("/away");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.header("retry-after"), "3");
  EXPECT_EQ(toy.get("/pool-throws").status, 500);
}

TEST(HttpRouting, ProblemJsonOnRequest) {
  ToyServer toy;
  const Answer answer = toy.get("/nothing", "Accept: application/problem+json, */*;q=0.1\r\n");
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  const auto type_for = [&](const std::string& accept) {
    return toy.get("/nothing", "Accept: " + accept + "\r\n").header("content-type");
  };
  EXPECT_EQ(type_for("application/json, application/problem+json; q=0.5"),
            "application/problem+json");
  EXPECT_EQ(type_for("application/problem+json;q=0.0, */*"), "application/json");
  EXPECT_EQ(type_for("application/problem+json; v=1; Q=0"), "application/json");
  EXPECT_EQ(answer.body, R"({"type":"about:blank","title":"Not Found","status":404,)"
                         R"("detail":"No such resource.","code":"NOT_FOUND"})");
}

TEST(HttpRouting, ClientAddressComesFromTrustedProxiesOnly) {
  ToyServer plain;
  EXPECT_EQ(plain.get("/address", "X-Forwarded-For: 9.9.9.9\r\n").body, "127.0.0.1");
  ToyServer behind({}, "127.0.0.0/8, 10.0.0.0/8");
  EXPECT_EQ(behind.get("/address", "X-Forwarded-For: 6.6.6.6, 9.9.9.9, 10.1.2.3\r\n").body,
            "9.9.9.9");
  EXPECT_EQ(behind.get("/address").body, "127.0.0.1");
}

TEST(HttpRouting, CorsAnswersNamedOriginsOnly) {
  ToyServer toy;
  const Answer asked = toy.client().ask(request(
      "OPTIONS", "/toys", "Origin: https://ui.example\r\nAccess-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(asked.header("access-control-allow-origin"), "https://ui.example");
  EXPECT_THAT(asked.header("access-control-allow-methods"), HasSubstr("POST"));
  EXPECT_EQ(toy.get("/toys/newest", "Origin: https://evil.example\r\n")
                .header("access-control-allow-origin"),
            "");
}

TEST(HttpRouting, ObserverIsToldOfEveryRequest) {
  ToyServer toy;
  toy.get("/toys/3", kGood);
  toy.get("/nothing?token=secret");
  ASSERT_TRUE(toy.observer.wait_finished(2));
  EXPECT_THAT(toy.observer.lines(), Contains("GET /toys/{toy_id} 200 7"));
  EXPECT_THAT(toy.observer.lines(), Contains("GET - 404 0"));
}

TEST(HttpRouter, RefusesBadTables) {
  const auto table = [](std::vector<std::string> paths) {
    RouteTable routes;
    for (std::string& path : paths) {
      routes.push_back(
          Route{.method = Method::get,
                .path = path,
                .operation_id = "x",
                .summary = "x",
                .tag = "x",
                .access = Access::open(),
                .handler = [](Call&) -> awaitable<HandlerResult> { co_return no_content(); }});
    }
    return routes;
  };
  EXPECT_THROW(Router(table({"/a", "/a"})), std::logic_error);
  EXPECT_THROW(Router(table({"a"})), std::logic_error);
  EXPECT_THROW(Router(table({"/x{id}"})), std::logic_error);
  EXPECT_THROW(Router(table({"/{a:path}/b"})), std::logic_error);
  EXPECT_THROW(Router(table({"/{a:thing}"})), std::logic_error);
  RouteTable unscoped = table({"/{id}"});
  unscoped[0].access = Access::needs(Action::read_project, Scope::task);
  EXPECT_THROW(Router{unscoped}, std::logic_error);
  EXPECT_NO_THROW(Router(table({"/{a}/b", "/{b_id}/c", "/{c}"})));
}

}  // namespace
}  // namespace annolog::http::routing_test
