#include "api/http/server.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "api/http/connection.hpp"
#include "api/http/error_reply.hpp"
#include "api/http/server_state.hpp"
#include "platform/prompt_thread.hpp"

namespace annolog::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

std::int64_t sweep_interval_ms(const Limits& limits) {
  const std::int64_t shortest = std::min(
      {limits.idle_ms, limits.header_ms, limits.body_ms, limits.write_ms, limits.linger_ms});
  return std::clamp<std::int64_t>(shortest / 4, 5, 250);
}

awaitable<void> sweep(Worker& worker, std::chrono::milliseconds interval) {
  while (true) {
    worker.sweep_timer.expires_after(interval);
    co_await worker.sweep_timer.async_wait(asio::use_awaitable);
    const auto now = std::chrono::steady_clock::now();
    for (Connection* connection : worker.connections) connection->close_if_late(now);
  }
}

// One over the limit: told so and closed, without a byte read.
void turn_away(tcp::socket& socket) {
  const std::string body = error_body({DomainError::Kind::unavailable,
                                       "TOO_MANY_CONNECTIONS",
                                       "The service has too many connections.",
                                       {},
                                       {},
                                       0});
  const std::string text =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
      "Connection: close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);  // what the empty send buffer takes at once
  socket.shutdown(tcp::socket::shutdown_both, ignored);
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions options, ServerParts parts) : state(std::move(options), parts) {}

  awaitable<void> accept_loop();
  void on_every_worker(void (*act)(Worker&));
  void wait_until_empty(std::chrono::steady_clock::time_point until);

  ServerState state;
  std::deque<Worker> workers;
  std::optional<tcp::acceptor> acceptor;  // on the first worker's context
  std::uint16_t port = 0;
  bool running = false;
};

// Hands each new socket to the next worker in turn.
awaitable<void> Server::Impl::accept_loop() {
  std::size_t next = 0;
  asio::steady_timer pause(workers.front().context);
  while (!state.stopping) {
    Worker& worker = workers[next++ % workers.size()];
    tcp::socket socket(worker.context);
    boost::system::error_code error;
    co_await acceptor->async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
    if (!acceptor->is_open() || state.stopping) co_return;
    if (error) {  // out of file descriptors or the like: let some close first
      pause.expires_after(std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    if (++state.connections > state.options.limits.connections) {
      --state.connections;
      turn_away(socket);
      continue;
    }
    asio::co_spawn(
        worker.context,
        [this, &worker, accepted = std::move(socket)]() mutable -> awaitable<void> {
          Connection connection(std::move(accepted), state, worker);
          if (!state.stopping) co_await connection.run();
        },
        asio::detached);
  }
}

void Server::Impl::on_every_worker(void (*act)(Worker&)) {
  for (Worker& worker : workers) asio::post(worker.context, [&worker, act] { act(worker); });
}

void Server::Impl::wait_until_empty(std::chrono::steady_clock::time_point until) {
  while (state.connections != 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Server::Server(ServerOptions options, ServerParts parts)
    : impl_(std::make_unique<Impl>(std::move(options), parts)) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

void Server::start() {
  const ServerOptions& options = impl_->state.options;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options.io_threads); ++i) {
    impl_->workers.emplace_back();
  }
  const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
  auto& acceptor = impl_->acceptor.emplace(impl_->workers.front().context);
  try {
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen(1024);
  } catch (const boost::system::system_error& error) {
    throw std::system_error(
        error.code().value(), std::system_category(),
        "can't listen on " + options.address + " port " + std::to_string(options.port));
  }
  impl_->port = acceptor.local_endpoint().port();
  impl_->running = true;
  asio::co_spawn(impl_->workers.front().context, impl_->accept_loop(), asio::detached);
  const std::chrono::milliseconds interval(sweep_interval_ms(options.limits));
  for (Worker& worker : impl_->workers) {
    asio::co_spawn(worker.context, sweep(worker, interval), asio::detached);
    worker.thread = platform::prompt_thread("io", [&worker] { worker.context.run(); });
  }
}

std::uint16_t Server::port() const { return impl_->port; }

std::size_t Server::connections() const { return impl_->state.connections; }

void Server::stop(std::chrono::milliseconds deadline) {
  if (!impl_->running) return;
  impl_->running = false;
  const auto until = std::chrono::steady_clock::now() + deadline;
  impl_->state.stopping = true;
  asio::post(impl_->workers.front().context, [impl = impl_.get()] {
    boost::system::error_code ignored;
    impl->acceptor->close(ignored);
  });
  impl_->on_every_worker([](Worker& worker) {
    for (Connection* connection : worker.connections) connection->close_if_idle();
  });
  impl_->wait_until_empty(until);
  impl_->on_every_worker([](Worker& worker) {
    for (Connection* connection : worker.connections) connection->abort();
  });
  // Those that only waited for their socket end now; a handler that still waits for something else
  // is dropped with its context.
  impl_->wait_until_empty(std::chrono::steady_clock::now() + std::chrono::milliseconds(200));
  for (Worker& worker : impl_->workers) worker.context.stop();
  for (Worker& worker : impl_->workers) worker.thread.join();
}

}  // namespace annolog::http
