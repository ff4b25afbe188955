#include "platform/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "platform/files.hpp"
#include "platform/settings_table.hpp"
#include "platform/settings_text.hpp"

namespace annolog::platform {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1 << 20;

using Errors = std::vector<FieldError>;

void add(Errors& errors, std::string_view name, std::string message, std::string type) {
  errors.push_back({{std::string(name)}, std::move(message), std::move(type)});
}

const Setting* find_setting(std::string_view name) {
  const auto table = setting_table();
  const auto found = std::ranges::find(table, name, &Setting::name);
  return found == table.end() ? nullptr : &*found;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// One way in for all sources; `origin` tells the reader where to mend the value.
void set(Settings& settings, const Setting& setting, std::string_view text,
         const std::string& origin, Errors& errors) {
  std::string wrong = assign(settings, setting, text);
  if (!wrong.empty()) add(errors, setting.name, wrong + " (" + origin + ")", "invalid");
}

void apply_file(Settings& settings, const std::filesystem::path& path, Errors& errors) {
  std::string content;
  try {
    content = read_file(path, kMaxFileBytes);
  } catch (const std::system_error& error) {
    add(errors, "config", error.what(), "unreadable");
    return;
  }
  TextMap seen;
  std::string_view rest = content;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    const std::string origin = fmt::format("{} line {}", path.string(), number);
    const std::size_t equals = line.find('=');
    const std::string_view name = trimmed(line.substr(0, equals));
    const Setting* setting = find_setting(name);
    if (equals == std::string_view::npos) {
      add(errors, "config", "not of the form name = value (" + origin + ")", "malformed");
    } else if (!setting) {
      add(errors, name, "no such setting (" + origin + ")", "unknown");
    } else if (!seen.emplace(name, origin).second) {
      add(errors, name, "set twice (" + seen.find(name)->second + ", " + origin + ")", "twice");
    } else {
      set(settings, *setting, unquoted(trimmed(line.substr(equals + 1))), origin, errors);
    }
  }
}

void apply_environment(Settings& settings, const TextMap& environment, Errors& errors) {
  for (const Setting& setting : setting_table()) {
    for (const std::string& name : {environment_name(setting.name), std::string(setting.alias)}) {
      const auto found = environment.find(name);
      if (name.empty() || found == environment.end() || found->second.empty()) continue;
      set(settings, setting, found->second, name, errors);
      break;
    }
  }
}

void apply_flags(Settings& settings, const TextMap& flags, Errors& errors) {
  for (const auto& [given, text] : flags) {
    std::string name = given;
    std::ranges::replace(name, '-', '_');
    if (const Setting* setting = find_setting(name)) {
      set(settings, *setting, text, flag_name(name), errors);
    } else {
      add(errors, name, "no such setting (" + flag_name(name) + ")", "unknown");
    }
  }
}

std::optional<std::filesystem::path> file_of(const SettingsSources& sources) {
  if (sources.file) return sources.file;
  const auto named = sources.environment.find("ANNOLOG_CONFIG");
  if (named == sources.environment.end() || named->second.empty()) return std::nullopt;
  return named->second;
}

// What each alone may be, but not together.
void check_together(const Settings& settings, Errors& errors) {
  if (settings.realtime_ping_s >= settings.realtime_idle_s)
    add(errors, "realtime_ping_s",
        "must be less than realtime_idle_s: who waits for pings to answer would be closed before",
        "out_of_range");
}

}  // namespace

Result<Settings> load_settings(const SettingsSources& sources) {
  Settings settings;
  Errors errors;
  if (const auto file = file_of(sources)) apply_file(settings, *file, errors);
  apply_environment(settings, sources.environment, errors);
  apply_flags(settings, sources.flags, errors);
  if (errors.empty()) check_together(settings, errors);
  while (settings.public_url.ends_with('/')) settings.public_url.pop_back();
  if (errors.empty()) return settings;
  std::string message = "The settings are not valid:";
  for (const FieldError& error : errors) {
    message += "\n  " + std::get<std::string>(error.loc.front()) + ": " + error.msg;
  }
  return DomainError{
      DomainError::Kind::invalid, "INVALID_SETTINGS", std::move(message), {}, std::move(errors), 0};
}

}  // namespace annolog::platform
