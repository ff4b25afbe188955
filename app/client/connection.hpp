// Where the service is and who is asking: what every client command needs to make a call.
// A plain value; secrets in it are never printed.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace annolog::client {

inline constexpr const char* kDefaultUrl = "http://127.0.0.1:8080";

// Exactly one way in is used, the first that is set: api_key, username with password, token.
struct ConnectionOptions {
  std::string url;  // scheme, host and port, with or without /api/v1; empty: kDefaultUrl
  std::string username;
  std::string password;
  std::string token;    // an access token; without a password it can't be renewed
  std::string api_key;  // sent as X-API-Key
  std::string ca_file;  // PEM bundle for a private authority; empty: the system's
  // How a retry waits; tests record the delays instead. Empty: sleep.
  std::function<void(std::chrono::milliseconds)> wait;
};

// Fills what is still empty from ANNOLOG_URL, ANNOLOG_USERNAME, ANNOLOG_PASSWORD, ANNOLOG_TOKEN and
// ANNOLOG_API_KEY; a way in that was chosen already is not mixed with another. Call before threads
// start.
void complete_from_environment(ConnectionOptions& options);

}  // namespace annolog::client
