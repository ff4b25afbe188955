#include "app/oidc.hpp"

#include <stdexcept>

namespace annolog::app {

std::unique_ptr<api::OidcDoor> open_oidc_door(const platform::Settings& settings,
                                              const platform::Keyring& keyring,
                                              const platform::Clock& clock,
                                              platform::ThreadPool& threads,
                                              const std::atomic<bool>& stopping) {
  if (settings.oidc_issuer.empty()) return nullptr;
  // Anybody could register with somebody else's address, and be signed in as.
  if (settings.allow_open_registration == "on")
    throw std::runtime_error(
        "oidc_issuer: not together with allow_open_registration, which lets anybody claim an "
        "address");
  try {
    const api::oidc::ProviderSettings provider{.issuer = settings.oidc_issuer,
                                               .client_id = settings.oidc_client_id,
                                               .client_secret = settings.oidc_client_secret,
                                               .scopes = settings.oidc_scopes,
                                               .ca_file = settings.oidc_ca_file,
                                               .stopping = &stopping};
    auto door = std::make_unique<api::OidcDoor>(provider, keyring, clock, threads);
    door->name = settings.oidc_name;
    door->return_origins = settings.cors_origins;
    return door;
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(std::string("oidc_issuer: ") + error.what());
  }
}

}  // namespace annolog::app
