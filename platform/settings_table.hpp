// The one table that binds each setting's name, help and limits to its member of Settings; parsing,
// help and description are driven by it. Internal to platform; constant data, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/settings.hpp"

namespace annolog::platform {

using SettingMember = std::variant<std::int64_t Settings::*, std::string Settings::*,
                                   std::vector<std::string> Settings::*>;

struct SettingRange {
  double min = 0;
  double max = 0;
};

// Looks at one text (each item of a list); empty when it is good, else what is allowed.
using SettingCheck = std::string_view (*)(std::string_view);

struct Setting {
  std::string_view name;
  SettingMember member;
  std::string_view help;
  SettingRange range = {};       // numbers only, both ends allowed
  SettingCheck check = nullptr;  // texts and lists only
  std::string_view alias = {};   // a further environment variable, fixed by the specification
  bool secret = false;
};

std::span<const Setting> setting_table();

}  // namespace annolog::platform
