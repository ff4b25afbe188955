#include "platform/settings_checks.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "domain/support/number.hpp"
#include "platform/log.hpp"

namespace annolog::platform {
namespace {

// The widest prefix of the address's family; 0 when it is no address.
int address_bits(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return 0;
  unsigned char parsed[16];
  if (::inet_pton(AF_INET, terminated.c_str(), parsed) == 1) return 32;
  if (::inet_pton(AF_INET6, terminated.c_str(), parsed) == 1) return 128;
  return 0;
}

// What follows http:// or https://; empty when it is no such URL.
std::string_view after_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme)) return url.substr(scheme.size());
  }
  return {};
}

bool plain_url_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}?#@").find(c) == std::string::npos;
  });
}

bool plain_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

std::string_view check_not_empty(std::string_view text) {
  return text.empty() ? "must not be empty" : "";
}

std::string_view check_log_level(std::string_view text) {
  return log_level_from(text) ? "" : "must be trace, debug, info, warn or error";
}

std::string_view check_address(std::string_view text) {
  return address_bits(text) > 0 ? "" : "must be an IPv4 or IPv6 address";
}

std::string_view check_network(std::string_view text) {
  constexpr std::string_view kAllowed =
      "must be IP addresses or networks such as 10.0.0.0/8, separated by commas";
  const std::size_t slash = text.find('/');
  const int bits = address_bits(text.substr(0, slash));
  if (bits == 0) return kAllowed;
  if (slash == std::string_view::npos) return "";
  const auto length = number_from<int>(text.substr(slash + 1));
  return length && *length >= 0 && *length <= bits ? "" : kAllowed;
}

std::string_view check_public_url(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  const bool good = text.empty() || (!rest.empty() && rest[0] != '/' && plain_url_text(rest));
  return good ? "" : "must be an http:// or https:// URL without query or fragment";
}

std::string_view check_origin(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  const bool good = text == "*" || (!rest.empty() && plain_url_text(rest) &&
                                    rest.find('/') == std::string_view::npos);
  return good ? "" : "must be * or origins such as https://example.org, separated by commas";
}

std::string_view check_on_off(std::string_view text) {
  return text == "on" || text == "off" ? "" : "must be on or off";
}

std::string_view check_role(std::string_view text) {
  for (const std::string_view role : {"api", "commands", "projections", "workers"})
    if (text == role) return "";
  return "must be api, commands, projections or workers, separated by commas";
}

std::string_view check_log(std::string_view text) {
  return text == "rocksdb" || text == "kafka" ? "" : "must be rocksdb or kafka";
}

std::string_view check_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return text.size() <= kLongest && plain_name(text)
             ? ""
             : "must be at most 64 letters, digits, dots, dashes and underscores";
}

std::string_view check_topic_prefix(std::string_view text) {
  constexpr std::size_t kLongest = 200;  // Kafka takes 249 with what follows
  return !text.empty() && text.size() <= kLongest && plain_name(text)
             ? ""
             : "must be 1 to 200 letters, digits, dots, dashes and underscores";
}

std::string_view check_seconds(std::string_view text) {
  constexpr double kMost = 86'400;
  const auto seconds = number_from<double>(text);
  return seconds && *seconds >= 0 && *seconds <= kMost ? "" : "must be seconds, 0 to 86400";
}

std::string_view check_property(std::string_view text) {
  const std::size_t sign = text.find('=');
  return sign != std::string_view::npos && sign > 0
             ? ""
             : "must be name=value pairs, separated by commas";
}

}  // namespace annolog::platform
