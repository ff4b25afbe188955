#include "app/client/connection.hpp"

#include <cstdlib>

namespace annolog::client {
namespace {

void fill(std::string& value, const char* name) {
  if (!value.empty()) return;
  if (const char* found = std::getenv(name)) value = found;
}

}  // namespace

void complete_from_environment(ConnectionOptions& options) {
  fill(options.url, "ANNOLOG_URL");
  const bool chosen = !options.api_key.empty() || !options.token.empty();
  if (chosen) return;
  if (options.username.empty()) {
    fill(options.api_key, "ANNOLOG_API_KEY");
    fill(options.token, "ANNOLOG_TOKEN");
    fill(options.username, "ANNOLOG_USERNAME");
  }
  if (!options.username.empty()) fill(options.password, "ANNOLOG_PASSWORD");
}

}  // namespace annolog::client
