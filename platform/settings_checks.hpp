// Checks of text settings: each answers an empty text when the value is good, else what is allowed.
// Internal to platform; pure, any thread.
#pragma once

#include <string_view>

namespace annolog::platform {

std::string_view check_not_empty(std::string_view text);
std::string_view check_log_level(std::string_view text);
std::string_view check_address(std::string_view text);     // IPv4 or IPv6
std::string_view check_network(std::string_view text);     // the same, or with /prefix
std::string_view check_public_url(std::string_view text);  // empty, or http(s)://host...
std::string_view check_origin(std::string_view text);      // * or http(s)://host[:port]
std::string_view check_on_off(std::string_view text);
std::string_view check_role(std::string_view text);
std::string_view check_log(std::string_view text);
std::string_view check_name(std::string_view text);          // of a node; may be empty
std::string_view check_topic_prefix(std::string_view text);  // what Kafka allows in a topic's name
std::string_view check_seconds(std::string_view text);       // 0 or more, may have a fraction
std::string_view check_property(std::string_view text);      // name=value

}  // namespace annolog::platform
