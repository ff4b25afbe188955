// The HTTP server: accepts, reads, dispatches, answers. Made and stopped by the composition root.
//   Server server(options, {router, gate, clock, observer});
//   server.start();  ...  server.stop(std::chrono::seconds(8));
// Everything in ServerParts must outlive it; thread pools that handlers wait for must be stopped
// before it is destroyed. start() throws std::system_error when the address can't be bound.
// start, stop: one thread; port, connections: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/http/gate.hpp"
#include "api/http/observer.hpp"
#include "api/http/request_recorder.hpp"
#include "api/http/router.hpp"
#include "api/http/server_options.hpp"
#include "platform/clock.hpp"
#include "platform/thread_pool.hpp"

namespace annolog::http {

struct ServerParts {
  const Router& router;
  Gate& gate;
  const platform::Clock& clock;
  RequestObserver& observer;
  platform::ThreadPool& large_bodies;   // where those of more than 64 KiB are parsed and checked
  RequestRecorder* recorder = nullptr;  // null: no request leaves a row in the audit
};

class Server {
 public:
  Server(ServerOptions options, ServerParts parts);
  // As stop(0).
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  std::uint16_t port() const;
  std::size_t connections() const;

  // No new connections; idle ones close at once, requests in hand get their answers (with
  // Connection: close) until the deadline, then all sockets are closed. Joins the I/O threads.
  void stop(std::chrono::milliseconds deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::http
