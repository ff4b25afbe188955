#include "app/client/connection.hpp"

#include "platform/settings.hpp"

namespace annolog::client {
namespace {

void fill(std::string& value, const platform::TextMap& environment, std::string_view name) {
  if (!value.empty()) return;
  if (const auto found = environment.find(name); found != environment.end()) {
    value = found->second;
  }
}

}  // namespace

void complete_from_environment(ConnectionOptions& options) {
  const auto environment = platform::process_environment();
  fill(options.url, environment, "ANNOLOG_URL");
  const bool chosen = !options.api_key.empty() || !options.token.empty();
  if (chosen) return;
  if (options.username.empty()) {
    fill(options.api_key, environment, "ANNOLOG_API_KEY");
    fill(options.token, environment, "ANNOLOG_TOKEN");
    fill(options.username, environment, "ANNOLOG_USERNAME");
  }
  if (!options.username.empty()) fill(options.password, environment, "ANNOLOG_PASSWORD");
}

}  // namespace annolog::client
