// Connections: keep-alive, pipelining, streams, limits, slow clients, smuggling, stopping.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "tests/unit/api/http/toy_server.hpp"

namespace annolog::http::connection_test {
namespace {

using testing::HasSubstr;

TEST(HttpConnection, ServesManyRequestsOneAfterAnother) {
  ToyServer toy;
  RawClient client = toy.client();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(client.ask(request("POST", "/toys", "", R"({"name":"a"})")).status, 201);
    EXPECT_EQ(client.ask(request("GET", "/toys/newest")).body, "newest");
  }
  const Answer last = client.ask(request("GET", "/toys/newest", "Connection: close\r\n"));
  EXPECT_EQ(last.header("connection"), "close");
  EXPECT_TRUE(client.ends());
}

TEST(HttpConnection, PipelinedRequestsAreAnsweredInOrder) {
  ToyServer toy;
  RawClient client = toy.client();
  std::string burst;
  for (int i = 1; i <= 50; ++i) {
    burst += request("POST", "/toys/" + std::to_string(i) + ":paint", "", i % 2 ? "ignored" : "");
  }
  client.send("\r\n" + burst);
  for (int i = 1; i <= 50; ++i) {
    EXPECT_EQ(client.read().body, "\"paint " + std::to_string(i) + "\"");
  }
}

TEST(HttpConnection, HeadsMayComeByteByByte) {
  ToyServer toy;
  RawClient client = toy.client();
  for (const char c : request("GET", "/toys/newest", "X-A: b\r\n")) client.send({&c, 1});
  EXPECT_EQ(client.read().body, "newest");
}

TEST(HttpConnection, Http10ClosesUnlessAsked) {
  ToyServer toy;
  RawClient client = toy.client();
  EXPECT_EQ(client.ask("GET /toys/newest HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").body,
            "newest");
  EXPECT_EQ(client.ask("GET /toys/newest HTTP/1.0\r\n\r\n").header("connection"), "close");
  EXPECT_TRUE(client.ends());
  RawClient stream_client = toy.client();
  const Answer answer = stream_client.ask("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_EQ(answer.header("transfer-encoding"), "");
  EXPECT_EQ(answer.body.size(), 3890U);
}

TEST(HttpConnection, StreamsAnswersInChunks) {
  ToyServer toy;
  RawClient client = toy.client();
  const Answer answer = client.ask(request("GET", "/stream"));
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.body.size(), 3890U);
  EXPECT_TRUE(answer.body.starts_with("0\n1\n2\n"));
  EXPECT_EQ(client.ask(request("GET", "/toys/newest")).body, "newest");
}

TEST(HttpConnection, AStreamThatBreaksIsCutOff) {
  ToyServer toy;
  RawClient client = toy.client();
  const Answer answer = client.ask(request("GET", "/broken"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.complete);
  EXPECT_THAT(toy.observer.failures(), testing::Contains("the source broke"));
}

TEST(HttpConnection, ACancelledDownloadEndsItsStream) {
  ToyServer toy;
  {
    RawClient client = toy.client();
    client.send(request("GET", "/endless"));
    ASSERT_TRUE(client.more());
  }
  EXPECT_TRUE(toy.signs.wait(&ToySigns::client_gone));
}

TEST(HttpConnection, AStreamThatIsFlushedIsReadWhileItGoesOnAndSeesItsReaderGo) {
  ToyServer toy;
  {
    RawClient client = toy.client();
    client.send(request("GET", "/words"));
    while (client.received().find("two") == std::string::npos && client.more()) {
    }
    EXPECT_NE(client.received().find("3\r\none\r\n3\r\ntwo\r\n"), std::string::npos)
        << client.received();
    EXPECT_FALSE(toy.signs.client_gone);
  }
  EXPECT_TRUE(toy.signs.wait(&ToySigns::client_gone));
}

TEST(HttpConnection, StreamsBodiesWithAndWithoutLength) {
  ToyServer toy;
  const std::string data(300'000, 'a');
  const std::string expected = "[300000," + std::to_string(300'000 * 'a') + "]";
  const std::string type = "Content-Type: image/png\r\n";
  RawClient client = toy.client();
  EXPECT_EQ(client.ask(request("PUT", "/upload", type, data)).body, expected);
  std::string chunked;
  for (std::size_t at = 0; at < data.size(); at += 1000) {
    chunked += "3e8;ext=1\r\n" + data.substr(at, 1000) + "\r\n";
  }
  EXPECT_EQ(client
                .ask(request("PUT", "/upload", type + "Transfer-Encoding: chunked\r\n") + chunked +
                     "0\r\nX-Trailer: 1\r\n\r\n")
                .body,
            expected);
  EXPECT_EQ(client.ask(request("GET", "/toys/newest")).body, "newest");
  EXPECT_EQ(toy.client().ask(request("PUT", "/upload", "Content-Type: text/html\r\n", "x")).status,
            415);
}

TEST(HttpConnection, BrokenChunksAre400) {
  ToyServer toy;
  for (const char* chunks :
       {"zz\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"}) {
    RawClient client = toy.client();
    const Answer answer = client.ask(
        request("PUT", "/upload", "Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n") +
        chunks);
    EXPECT_EQ(answer.status, 400) << chunks;
    EXPECT_TRUE(client.ends());
  }
}

TEST(HttpConnection, ExpectContinueIsAnsweredBeforeTheBody) {
  ToyServer toy;
  RawClient client = toy.client();
  const std::string head = "Content-Type: image/png\r\nExpect: 100-continue\r\n";
  client.send(request("PUT", "/upload", head + "Content-Length: 3\r\n"));
  EXPECT_EQ(client.read().status, 100);
  EXPECT_EQ(client.ask("abc").body, "[3,294]");
  client.send(request("PUT", "/upload", head + "Content-Length: 2000000\r\n"));
  EXPECT_EQ(client.read().status, 413);
  EXPECT_TRUE(client.ends());
}

TEST(HttpConnection, BodiesPastTheLimitAre413) {
  ToyServer toy(Limits{.body_bytes = 1000});
  RawClient declared = toy.client();
  EXPECT_EQ(declared.ask(request("POST", "/toys", "Content-Length: 1001\r\n")).status, 413);
  EXPECT_TRUE(declared.ends());
  RawClient chunked = toy.client();
  std::string body;
  for (int i = 0; i < 11; ++i) body += "64\r\n" + std::string(100, ' ') + "\r\n";
  EXPECT_EQ(chunked.ask(request("POST", "/toys", "Transfer-Encoding: chunked\r\n") + body).status,
            413);
  EXPECT_TRUE(chunked.ends());
}

TEST(HttpConnection, BodiesHeldTogetherAreBounded) {
  ToyServer toy(Limits{.buffered_bodies_bytes = 20'000});
  const Answer answer = toy.post("/toys", "{\"name\":\"" + std::string(30'000, 'a') + "\"}");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(toy.post("/toys", R"({"name":"a"})").status, 201);
}

TEST(HttpConnection, HeadsPastTheLimitAre431) {
  ToyServer toy(Limits{.header_bytes = 8192, .header_count = 20});
  const std::string large = "X-A: " + std::string(9000, 'a') + "\r\n";
  EXPECT_EQ(toy.get("/toys/newest", large).status, 431);
  EXPECT_EQ(toy.get("/" + std::string(9000, 'a')).status, 431);
  std::string many;
  for (int i = 0; i < 25; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(toy.get("/toys/newest", many).status, 431);
  EXPECT_EQ(toy.get("/toys/newest", "X-A: " + std::string(7000, 'a') + "\r\n").status, 200);
}

TEST(HttpConnection, OneTooManyIsTurnedAway) {
  ToyServer toy(Limits{.connections = 2});
  RawClient first = toy.client();
  RawClient second = toy.client();
  EXPECT_EQ(first.ask(request("GET", "/toys/newest")).status, 200);
  EXPECT_EQ(second.ask(request("GET", "/toys/newest")).status, 200);
  RawClient third = toy.client();
  const Answer answer = third.read();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("retry-after"), "1");
}

TEST(HttpConnection, SlowClientsAreCutOff) {
  const Limits quick{
      .idle_ms = 20, .header_ms = 20, .body_ms = 20, .write_ms = 20, .linger_ms = 20};
  ToyServer toy(quick);
  RawClient idle = toy.client();
  EXPECT_TRUE(idle.ends());
  RawClient slow_head = toy.client();
  EXPECT_EQ(slow_head.ask("GET /toys/newest HTTP/1.1\r\nHost:").status, 408);
  EXPECT_TRUE(slow_head.ends());
  RawClient slow_body = toy.client();
  slow_body.send(request("POST", "/toys", "Content-Length: 10\r\n") + "{");
  EXPECT_TRUE(slow_body.ends());
  RawClient slow_reader(toy.server->port(), 4096);
  slow_reader.send(request("GET", "/endless"));
  EXPECT_TRUE(toy.signs.wait(&ToySigns::client_gone));
}

TEST(HttpConnection, AmbiguousRequestsAreRefusedAndTheConnectionEnds) {
  const std::string rows[] = {
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc",
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
      "POST /toys HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n",
      "POST /toys HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
      "chunked\r\n\r\n",
      "POST /toys HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "GET /toys HTTP/1.1\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a/b\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\n\r\n",
      "GET http://other/toys HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET toys HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /toys HTTP/1.1\nHost: a\n\n",
      "GET /toys\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nX: a\x01\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
      "GET /toys HTTP/1.1\r\nHost: a\r\nX: a\n b\r\n\r\n",
      std::string("GET /toys HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 39),
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n",
  };
  ToyServer toy;
  for (const std::string& row : rows) {
    RawClient client = toy.client();
    client.send(row + "GET /toys/newest HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read().status, 400) << row;
    EXPECT_TRUE(client.ends()) << row;
  }
  EXPECT_EQ(toy.client().ask("GET http://a/toys/newest HTTP/1.1\r\nHost: a\r\n\r\n").body,
            "newest");
  EXPECT_EQ(toy.client().ask("GET /toys HTTP/2.0\r\nHost: a\r\n\r\n").status, 505);
}

TEST(HttpConnection, RangesOfFiles) {
  struct Row {
    const char* headers;
    int status;
    const char* body;
    const char* content_range;
  };
  const Row rows[] = {
      {"", 200, "0123456789", ""},
      {"Range: bytes=2-4\r\n", 206, "234", "bytes 2-4/10"},
      {"Range: bytes=7-\r\n", 206, "789", "bytes 7-9/10"},
      {"Range: bytes=-4\r\n", 206, "6789", "bytes 6-9/10"},
      {"Range: bytes=0-99\r\n", 206, "0123456789", "bytes 0-9/10"},
      {"Range: bytes=-99\r\n", 206, "0123456789", "bytes 0-9/10"},
      {"Range: bytes=9-9\r\n", 206, "9", "bytes 9-9/10"},
      {"Range: bytes=0-1,4-5\r\n", 200, "0123456789", ""},
      {"Range: bytes=4-2\r\n", 200, "0123456789", ""},
      {"Range: lines=1-2\r\n", 200, "0123456789", ""},
      {"Range: bytes=a-b\r\n", 200, "0123456789", ""},
      {"Range: bytes=2-4\r\nIf-Range: \"v1\"\r\n", 206, "234", "bytes 2-4/10"},
      {"Range: bytes=2-4\r\nIf-Range: \"v0\"\r\n", 200, "0123456789", ""},
  };
  ToyServer toy;
  RawClient client = toy.client();
  for (const Row& row : rows) {
    const Answer answer = client.ask(request("GET", "/file", row.headers));
    EXPECT_EQ(answer.status, row.status) << row.headers;
    EXPECT_EQ(answer.body, row.body) << row.headers;
    EXPECT_EQ(answer.header("content-range"), row.content_range) << row.headers;
    EXPECT_EQ(answer.header("accept-ranges"), "bytes");
  }
  for (const char* headers : {"Range: bytes=10-\r\n", "Range: bytes=-0\r\n"}) {
    const Answer answer = client.ask(request("GET", "/file", headers));
    EXPECT_EQ(answer.status, 416);
    EXPECT_EQ(answer.header("content-range"), "bytes */10");
  }
}

TEST(HttpConnection, SendsFilesFromDisk) {
  std::ifstream file(std::string(ANNOLOG_SOURCE_DIR) + "/CMakeLists.txt");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ToyServer toy;
  RawClient client = toy.client();
  EXPECT_EQ(client.ask(request("GET", "/disk/CMakeLists.txt")).body, text);
  EXPECT_EQ(client.ask(request("GET", "/disk/CMakeLists.txt", "Range: bytes=5-14\r\n")).body,
            text.substr(5, 10));
  EXPECT_EQ(client.ask(request("GET", "/disk/no-such-file")).status, 404);
  EXPECT_EQ(client.ask(request("GET", "/disk/api")).status, 404);  // a folder
}

TEST(HttpConnection, AnUpgradeTakesTheSocketWithWhatWasRead) {
  ToyServer toy;
  RawClient client = toy.client();
  client.send(request("GET", "/raw?a=1", "Upgrade: toy\r\n") + "behind");
  EXPECT_TRUE(toy.observer.wait_finished(1));
  EXPECT_EQ(client.rest(), "GET /raw?a=1 HTTP/1.1\r\nhost: toy\r\nupgrade: toy\r\n\r\nbehind");
  EXPECT_THAT(toy.observer.lines(), testing::Contains("GET /raw 101 0"));
}

TEST(HttpStop, FinishesWhatIsInHandAndClosesWhatIsIdle) {
  ToyServer toy;
  RawClient idle = toy.client();
  EXPECT_EQ(idle.ask(request("GET", "/toys/newest")).status, 200);
  RawClient busy = toy.client();
  busy.send(request("GET", "/waits"));
  ASSERT_TRUE(toy.signs.wait(&ToySigns::entered));
  std::thread stopper([&] { toy.server->stop(std::chrono::seconds(20)); });
  EXPECT_TRUE(idle.ends());
  toy.signs.set(&ToySigns::released);
  const Answer answer = busy.read();
  EXPECT_EQ(answer.body, "true");
  EXPECT_EQ(answer.header("connection"), "close");
  stopper.join();
  EXPECT_FALSE(RawClient(toy.server->port()).connected());
}

TEST(HttpStop, TheDeadlineEndsWhatDoesNotFinish) {
  ToyServer toy;
  RawClient busy = toy.client();
  busy.send(request("GET", "/endless"));
  ASSERT_TRUE(busy.more());
  toy.server->stop(std::chrono::milliseconds(10));
  EXPECT_TRUE(toy.signs.wait(&ToySigns::client_gone));
}

TEST(HttpBlocking, AFullPoolAnswers503) {
  ToyServer toy;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(toy.server->port()));
    clients.back()->send(request("GET", "/waits"));
    if (i == 0) {
      ASSERT_TRUE(toy.signs.wait(&ToySigns::entered));
    }
  }
  ASSERT_TRUE(toy.observer.wait_finished(3));  // one runs, four wait, three are turned away
  toy.signs.set(&ToySigns::released);
  int busy = 0;
  int served = 0;
  for (auto& client : clients) {
    const Answer answer = client->read();
    if (answer.status == 503) EXPECT_EQ(answer.header("retry-after"), "1");
    (answer.status == 503 ? busy : served) += 1;
  }
  EXPECT_EQ(busy, 3);
  EXPECT_EQ(served, 5);
}

}  // namespace
}  // namespace annolog::http::connection_test
