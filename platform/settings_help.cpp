#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "platform/settings.hpp"
#include "platform/settings_table.hpp"
#include "platform/settings_text.hpp"

namespace annolog::platform {

std::string flag_name(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string environment_name(std::string_view name) {
  std::string upper = "ANNOLOG_";
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

TextMap process_environment() {
  TextMap environment;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::vector<SettingHelp> setting_list() {
  std::vector<SettingHelp> list;
  const Settings defaults;
  for (const Setting& setting : setting_table()) {
    std::string environment = environment_name(setting.name);
    if (!setting.alias.empty()) environment += ", " + std::string(setting.alias);
    std::string help(setting.help);
    if (const auto allowed = allowed_text(setting); !allowed.empty()) help += "; " + allowed;
    list.push_back({std::string(setting.name), flag_name(setting.name), std::move(environment),
                    value_text(defaults, setting), std::move(help)});
  }
  return list;
}

std::string settings_help() {
  std::string text;
  for (const SettingHelp& entry : setting_list()) {
    text +=
        fmt::format("{} VALUE\n    {}\n    environment: {}; default: {}\n", entry.flag, entry.help,
                    entry.environment, entry.default_value.empty() ? "none" : entry.default_value);
  }
  return text;
}

std::string describe(const Settings& settings) {
  std::string text;
  for (const Setting& setting : setting_table()) {
    const std::string value = value_text(settings, setting);
    text +=
        fmt::format("{} = {}\n", setting.name, setting.secret && !value.empty() ? "****" : value);
  }
  return text;
}

}  // namespace annolog::platform
