// Structured log: one JSON object a line on stderr, {"ts", "level", "msg", fields...}.
// A Logger is passed by reference; all methods may be called from any thread and never throw.
// Text is made valid UTF-8 (bad bytes become U+FFFD), control characters are escaped, and a value
// is cut at kMaxValueBytes. Secrets and personal data are the caller's duty to leave out.
//   logger.info("listening", {{"address", address}, {"port", port}});
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "platform/clock.hpp"

namespace annolog::platform {

enum class LogLevel { trace, debug, info, warn, error };
std::optional<LogLevel> log_level_from(std::string_view name);

// Views only: what it points at must live until the call returns.
class LogValue {
 public:
  LogValue(bool value) : value_(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  LogValue(T value) : value_(static_cast<std::int64_t>(value)) {}
  LogValue(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  LogValue(std::string_view value) : value_(value) {}
  LogValue(const std::string& value) : value_(std::string_view(value)) {}
  LogValue(const char* value) : value_(std::string_view(value ? value : "")) {}

  using Variant = std::variant<bool, std::int64_t, double, std::string_view>;
  const Variant& get() const { return value_; }

 private:
  Variant value_;
};

struct LogField {
  std::string_view name;
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

class Logger {
 public:
  static constexpr std::size_t kMaxValueBytes = 8192;
  using Write = std::function<void(std::string_view line)>;  // line without its newline

  // To stderr. The clock must outlive the logger.
  Logger(const Clock& clock, LogLevel level);
  // To `write`, one call at a time; for tests.
  Logger(const Clock& clock, LogLevel level, Write write);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void log(LogLevel level, std::string_view msg, LogFields fields = {}) noexcept;
  void debug(std::string_view msg, LogFields f = {}) noexcept { log(LogLevel::debug, msg, f); }
  void info(std::string_view msg, LogFields f = {}) noexcept { log(LogLevel::info, msg, f); }
  void warn(std::string_view msg, LogFields f = {}) noexcept { log(LogLevel::warn, msg, f); }
  void error(std::string_view msg, LogFields f = {}) noexcept { log(LogLevel::error, msg, f); }

  void set_level(LogLevel level) noexcept;
  bool enabled(LogLevel level) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::platform
