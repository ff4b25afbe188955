#include "app/server_options.hpp"

namespace annolog::app {

http::ServerOptions server_options(const platform::Settings& settings) {
  http::ServerOptions options;
  options.address = settings.http_address;
  options.port = static_cast<std::uint16_t>(settings.http_port);
  options.io_threads = static_cast<std::size_t>(settings.io_threads);
  options.cors_origins = settings.cors_origins;
  options.limits.header_bytes = static_cast<std::size_t>(settings.max_header_bytes);
  options.limits.body_bytes = static_cast<std::uint64_t>(settings.max_body_bytes);
  options.limits.connections = static_cast<std::size_t>(settings.max_connections);
  options.limits.idle_ms = settings.idle_timeout_s * 1000;
  options.limits.body_ms = settings.request_timeout_s * 1000;
  options.limits.write_ms = settings.request_timeout_s * 1000;
  for (const auto& proxy : settings.trusted_proxies) {
    if (!options.trusted_proxies.empty()) options.trusted_proxies += ',';
    options.trusted_proxies += proxy;
  }
  return options;
}

}  // namespace annolog::app
