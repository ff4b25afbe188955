// One bounded HTTP call to a provider over libcurl. Blocks for ten seconds at most; any thread.
// No redirect is followed: where an answer comes from is what the discovery document says.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/oidc/provider_error.hpp"

namespace annolog::api::oidc {

inline constexpr long kConnectTimeoutMs = 5'000;
inline constexpr long kCallTimeoutMs = 10'000;
inline constexpr std::size_t kMaxAnswerBytes = 256 * 1024;

struct FetchRequest {
  std::string_view what;      // for error texts
  std::string url;            // https, or http to this machine
  std::string form;           // urlencoded, sent by POST; without one it is a GET
  std::string authorization;  // header's value; none when empty
  std::string ca_file;        // PEM; the only roots that are trusted, or those of the system
  const std::atomic<bool>* stopping = nullptr;  // once set, the call ends within a second: `away`
};

struct FetchAnswer {
  int status = 0;
  std::string body;
};

// `away` also for the statuses of a server in trouble (5xx, 408, 429), `not_understood` for an
// answer that is too large; any other answer is the caller's to judge.
ProviderResult<FetchAnswer> fetch(const FetchRequest& request);

}  // namespace annolog::api::oidc
