// Values of settings from text and back. Internal to platform; pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "platform/settings_table.hpp"

namespace annolog::platform {

// Sets the member from `text`; answers what was wrong and what is allowed, empty when all is well.
// The answer for a secret does not repeat its value.
std::string assign(Settings& settings, const Setting& setting, std::string_view text);
// Secrets come out in full: mask before showing.
std::string value_text(const Settings& settings, const Setting& setting);
// "1 to 256", "true or false"; empty for free text.
std::string allowed_text(const Setting& setting);

std::string flag_name(std::string_view name);         // http_port: --http-port
std::string environment_name(std::string_view name);  // http_port: ANNOLOG_HTTP_PORT

std::string_view trimmed(std::string_view text);

}  // namespace annolog::platform
