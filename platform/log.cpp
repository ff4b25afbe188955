#include "platform/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "platform/json_text.hpp"

namespace annolog::platform {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"trace", "debug", "info", "warn", "error"};

class CallSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit CallSink(Logger::Write write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

 private:
  Logger::Write write_;
};

void append_value(std::string& line, const LogValue& value) {
  struct Append {
    std::string& out;
    void operator()(bool v) const { out += v ? "true" : "false"; }
    void operator()(std::int64_t v) const { fmt::format_to(std::back_inserter(out), "{}", v); }
    void operator()(double v) const {
      // JSON has no word for infinity and NaN.
      if (std::isfinite(v)) fmt::format_to(std::back_inserter(out), "{}", v);
      else out += "null";
    }
    void operator()(std::string_view v) const {
      append_json_string(out, v.substr(0, Logger::kMaxValueBytes));
    }
  };
  std::visit(Append{line}, value.get());
}

std::string line_of(Timestamp at, LogLevel level, std::string_view msg, LogFields fields) {
  std::string line = "{\"ts\":\"" + to_rfc3339(at) + "\",\"level\":\"";
  line.append(kNames[static_cast<std::size_t>(level)]).append("\",\"msg\":");
  append_json_string(line, msg.substr(0, Logger::kMaxValueBytes));
  for (const LogField& field : fields) {
    line += ',';
    // A field may not pass for one of the line's own.
    const bool taken = field.name == "ts" || field.name == "level" || field.name == "msg";
    append_json_string(line, taken ? std::string(field.name) + "_" : std::string(field.name));
    line += ':';
    append_value(line, field.value);
  }
  return line += '}';
}

std::shared_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink) {
  auto logger = std::make_shared<spdlog::logger>("annolog", std::move(sink));
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);  // levels are decided before a line is built
  logger->set_error_handler([](const std::string&) {});  // nowhere left to write to
  return logger;
}

}  // namespace

std::optional<LogLevel> log_level_from(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

struct Logger::Impl {
  Impl(const Clock& c, LogLevel l, std::shared_ptr<spdlog::logger> t)
      : clock(c), level(l), target(std::move(t)) {}

  const Clock& clock;
  std::atomic<LogLevel> level;
  std::shared_ptr<spdlog::logger> target;
};

Logger::Logger(const Clock& clock, LogLevel level)
    : impl_(std::make_unique<Impl>(
          clock, level, make_logger(std::make_shared<spdlog::sinks::stderr_sink_mt>()))) {}

Logger::Logger(const Clock& clock, LogLevel level, Write write)
    : impl_(std::make_unique<Impl>(clock, level,
                                   make_logger(std::make_shared<CallSink>(std::move(write))))) {}

Logger::~Logger() = default;

void Logger::log(LogLevel level, std::string_view msg, LogFields fields) noexcept {
  if (!enabled(level)) return;
  try {
    const std::string line = line_of(impl_->clock.now(), level, msg, fields);
    impl_->target->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  } catch (...) {
    // Out of memory: a log line is never worth the process.
  }
}

void Logger::set_level(LogLevel level) noexcept { impl_->level = level; }
bool Logger::enabled(LogLevel level) const noexcept { return level >= impl_->level.load(); }

}  // namespace annolog::platform
