// bench_page: the least that a page over HTTP can cost on this machine, whoever serves it. One
// thread waits at a TCP connection for as many bytes as a request has, asks PostgreSQL a prepared
// statement, and writes as many bytes as the page has; it looks at none of them. The other thread
// is its client, which asks again and again. Prints exchanges a second as JSON.
#include <libpq-fe.h>

#include <CLI/CLI.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "platform/prompt_thread.hpp"

namespace {

using boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string database, statement;
  std::size_t request_bytes = 0, answer_bytes = 0;
  int rows = 0;  // that the statement must find
  double seconds = 3;
};

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Finish>;

Connection prepare(const Options& options) {
  Connection connection(PQconnectdb(options.database.c_str()));
  const Answer prepared(PQprepare(connection.get(), "page", options.statement.c_str(), 0, nullptr));
  if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  return connection;
}

// Until the client hangs up, or PostgreSQL does not say what it should: then it hangs up itself.
void serve(const Options& options, const Connection& connection, tcp::socket socket) {
  annolog::platform::ask_for_short_slices();  // as the service does, and whoever asks it
  std::string request(options.request_bytes, '\0');
  const std::string page(options.answer_bytes, 'x');
  boost::system::error_code error;
  for (;;) {
    boost::asio::read(socket, boost::asio::buffer(request), error);
    if (error) return;
    const Answer found(PQexecPrepared(connection.get(), "page", 0, nullptr, nullptr, nullptr, 1));
    if (PQntuples(found.get()) != options.rows) return;
    const std::string answer = page;  // a page is put together for each
    boost::asio::write(socket, boost::asio::buffer(answer), error);
  }
}

double exchanges_per_s(const Options& options) {
  boost::asio::io_context context;
  tcp::acceptor door(context, {boost::asio::ip::address_v4::loopback(), 0});
  tcp::socket client(context);
  client.connect(door.local_endpoint());
  tcp::socket server = door.accept();
  for (tcp::socket* socket : {&client, &server}) socket->set_option(tcp::no_delay(true));
  const Connection connection = prepare(options);
  const std::jthread serving(
      [&, server = std::move(server)]() mutable { serve(options, connection, std::move(server)); });
  annolog::platform::ask_for_short_slices();
  const std::string request(options.request_bytes, 'x');
  std::string answer(options.answer_bytes, '\0');
  std::size_t exchanges = 0;
  const auto start = Clock::now();
  std::chrono::duration<double> took{};
  while (took.count() < options.seconds) {
    boost::asio::write(client, boost::asio::buffer(request));
    boost::asio::read(client, boost::asio::buffer(answer));  // throws when the server hung up
    ++exchanges;
    took = Clock::now() - start;
  }
  client.close();
  return static_cast<double>(exchanges) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("A page's bare exchange for deploy/bench");
  app.add_option("--database", options.database, "libpq connection string")->required();
  app.add_option("--statement", options.statement, "Without parameters")->required();
  app.add_option("--rows", options.rows, "That it finds")->required();
  app.add_option("--request-bytes", options.request_bytes)->required();
  app.add_option("--answer-bytes", options.answer_bytes)->required();
  app.add_option("--seconds", options.seconds);
  CLI11_PARSE(app, argc, argv);
  try {
    const nlohmann::json figures{{"per_s", exchanges_per_s(options)}};
    std::puts(figures.dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_page: %s\n", error.what());
    return 1;
  }
  return 0;
}
