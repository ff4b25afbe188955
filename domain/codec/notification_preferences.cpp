#include "domain/codec/notification_preferences.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "domain/codec/json/json_reader.hpp"

namespace annolog::codec {
namespace {

nlohmann::json wishes_in(const Preferences& preferences) {
  const auto found = preferences.find(std::string(kNotificationPreferences));
  return found == preferences.end() ? nlohmann::json() : parse_json(found->second.text);
}

}  // namespace

void check_notification_preferences(const Preferences& changes, std::vector<FieldError>& errors) {
  const auto wishes = wishes_in(changes);
  const std::string key(kNotificationPreferences);
  if (wishes.is_null()) return;
  if (!wishes.is_object()) {
    errors.push_back({{key}, "Must be an object of types with true or false each.", "object_type"});
    return;
  }
  for (const auto& [name, wish] : wishes.items()) {
    if (!notification_type_from(name)) {
      errors.push_back({{key, name}, "No notification is of this type.", "unknown_type"});
    } else if (!wish.is_boolean()) {
      errors.push_back({{key, name}, "Must be true or false.", "bool_type"});
    }
  }
}

std::vector<NotificationType> muted_types(const Preferences& preferences) {
  const auto wishes = wishes_in(preferences);
  std::vector<NotificationType> muted;
  if (!wishes.is_object()) return muted;
  for (const auto& kind : kNotificationKinds) {
    const auto wish = wishes.find(std::string(kind.name));
    if (wish != wishes.end() && *wish == false) muted.push_back(kind.type);
  }
  return muted;
}

}  // namespace annolog::codec
