#include "platform/seldom_warnings.hpp"

#include <regex>
#include <utility>

namespace annolog::platform {
namespace {

constexpr std::size_t kTold = 512;  // beyond it, none is another

}  // namespace

std::string alike(std::string_view warning) {
  static const std::regex particular(R"(\[[^\]]*\]|\(.*\)|-\d+(?=:))");
  return std::regex_replace(std::string(warning.substr(0, kTold)), particular, "");
}

SeldomWarnings::SeldomWarnings(Logger& logger, const Clock& clock, std::string message,
                               RateLimit limit)
    : logger_(logger), message_(std::move(message)), said_(clock, limit) {}

void SeldomWarnings::warn(std::string_view warning) {
  if (said_.hit(alike(warning)).allowed) logger_.warn(message_, {{"detail", warning}});
}

}  // namespace annolog::platform
