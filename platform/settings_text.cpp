#include "platform/settings_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "domain/support/number.hpp"

namespace annolog::platform {
namespace {

// The wrong value, cut and quoted, unless it is secret.
std::string wrong(const Setting& setting, std::string_view text, std::string_view allowed) {
  if (setting.secret) return std::string(allowed);
  return fmt::format("\"{}\": {}", text.substr(0, 100), allowed);
}

struct Assign {
  Settings& settings;
  const Setting& setting;
  std::string_view text;

  std::string operator()(std::int64_t Settings::* member) const {
    const auto value = number_from<std::int64_t>(text);
    const bool good = value && static_cast<double>(*value) >= setting.range.min &&
                      static_cast<double>(*value) <= setting.range.max;
    if (!good) return wrong(setting, text, "must be " + allowed_text(setting));
    settings.*member = *value;
    return {};
  }

  std::string operator()(std::string Settings::* member) const {
    if (text.find('\0') != std::string_view::npos) return "must not hold NUL";
    if (setting.check) {
      const std::string_view allowed = setting.check(text);
      if (!allowed.empty()) return wrong(setting, text, allowed);
    }
    settings.*member = std::string(text);
    return {};
  }

  std::string operator()(std::vector<std::string> Settings::* member) const {
    std::vector<std::string> items;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      const std::string_view item = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
      if (item.empty()) continue;
      const std::string_view allowed = setting.check ? setting.check(item) : "";
      if (!allowed.empty()) return wrong(setting, item, allowed);
      items.emplace_back(item);
    }
    settings.*member = std::move(items);
    return {};
  }
};

struct ValueText {
  const Settings& settings;

  std::string operator()(std::int64_t Settings::* m) const { return fmt::to_string(settings.*m); }
  std::string operator()(std::string Settings::* m) const { return settings.*m; }
  std::string operator()(std::vector<std::string> Settings::* m) const {
    return fmt::format("{}", fmt::join(settings.*m, ", "));
  }
};

}  // namespace

std::string assign(Settings& settings, const Setting& setting, std::string_view text) {
  return std::visit(Assign{settings, setting, text}, setting.member);
}

std::string value_text(const Settings& settings, const Setting& setting) {
  return std::visit(ValueText{settings}, setting.member);
}

std::string allowed_text(const Setting& setting) {
  const auto& range = setting.range;
  if (std::holds_alternative<std::int64_t Settings::*>(setting.member)) {
    return fmt::format("{:.0f} to {:.0f}", range.min, range.max);
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace annolog::platform
