// The preference `notifications`: types that a user does not want to be told of, as
// {"task.approved": false}. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "domain/notification/types.hpp"
#include "domain/support/error.hpp"
#include "domain/user/events.hpp"

namespace annolog::codec {

inline constexpr std::string_view kNotificationPreferences = "notifications";

// What may be set: an object of known types with true or false each, or null, which removes it.
void check_notification_preferences(const Preferences& changes, std::vector<FieldError>& errors);

// Each type once, in the table's order. Whatever else stands there says nothing: the key was free
// before it meant something.
std::vector<NotificationType> muted_types(const Preferences& preferences);

}  // namespace annolog::codec
