// What sign-in by OpenID Connect needs, where the operator has named a provider. Any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/auth/oidc_attempts.hpp"
#include "api/oidc/provider.hpp"
#include "platform/thread_pool.hpp"

namespace annolog::api {

struct OidcDoor {
  OidcDoor(oidc::ProviderSettings settings, const platform::Keyring& keyring,
           const platform::Clock& clock, platform::ThreadPool& pool)
      : attempts(keyring), provider(std::move(settings), clock), threads(pool) {}

  std::string name;                         // what people call the provider
  std::vector<std::string> return_origins;  // other sites that a browser may be sent back to
  OidcAttempts attempts;
  oidc::Provider provider;
  platform::ThreadPool& threads;  // calls to the provider block
};

}  // namespace annolog::api
