// The first start makes one super_admin (decisions, section 2).
#pragma once

#include <optional>
#include <string>

#include "api/personal_data.hpp"
#include "commands/bus.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/password.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct FirstUser {
  std::string username;
  std::string made_up_password;  // empty when the settings gave one
};

// Nothing when there are users already. Throws when the settings' password is refused.
std::optional<FirstUser> make_first_user(const platform::Settings& settings,
                                         const eventstore::EventLog& log, commands::CommandBus& bus,
                                         api::PersonalData& personal,
                                         const platform::PasswordHasher& hasher,
                                         const platform::Clock& clock);

}  // namespace annolog::app
