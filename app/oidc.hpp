// Sign-in by OpenID Connect, as the settings say.
#pragma once

#include <atomic>
#include <memory>

#include "api/auth/oidc_door.hpp"
#include "platform/clock.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

// Null: no provider is named. Throws std::runtime_error, with a line for a person, when the
// settings can't work. All references outlive the door.
std::unique_ptr<api::OidcDoor> open_oidc_door(const platform::Settings& settings,
                                              const platform::Keyring& keyring,
                                              const platform::Clock& clock,
                                              platform::ThreadPool& threads,
                                              const std::atomic<bool>& stopping);

}  // namespace annolog::app
