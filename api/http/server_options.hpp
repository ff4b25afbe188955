// How the HTTP server listens and what it tolerates. Every limit has a default that suits a public
// service; times are in milliseconds. Read once, when the server is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace annolog::http {

struct Limits {
  std::size_t header_bytes = 32 * 1024;         // request line and all headers; more: 431
  std::size_t header_count = 100;               // more: 431
  std::uint64_t body_bytes = 10 * 1024 * 1024;  // routes may say otherwise; more: 413
  std::uint64_t buffered_bodies_bytes = 256ULL * 1024 * 1024;  // all together; more: 503
  std::size_t connections = 10'000;                            // more: 503 and close
  std::size_t requests_per_connection = 100'000;               // then Connection: close

  std::int64_t idle_ms = 75'000;         // between requests
  std::int64_t header_ms = 10'000;       // from the first byte of a head to its last
  std::int64_t body_ms = 30'000;         // a pause while a body is sent
  std::int64_t write_ms = 30'000;        // a pause while an answer is taken
  std::uint64_t min_bytes_per_s = 1024;  // average below it, once a pause's time has passed: closed
  std::int64_t linger_ms = 2'000;        // waiting for the client's end after a refused body
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  // 0: any free one, see Server::port()
  std::size_t io_threads = 2;
  Limits limits = {};
  std::string trusted_proxies = {};            // addresses and CIDR blocks, see client_address.hpp
  std::vector<std::string> cors_origins = {};  // exact origins; "*" for any, without credentials
};

}  // namespace annolog::http
