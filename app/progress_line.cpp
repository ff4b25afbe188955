#include "app/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace annolog::app {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kNextLine{5};

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(Elsewhere elsewhere)
    : terminal_(isatty(STDERR_FILENO) == 1),
      silent_(!terminal_ && elsewhere == Elsewhere::nothing) {}

ProgressLine::~ProgressLine() {
  if (width_ > 0) put("\n");
}

void ProgressLine::show(std::uint64_t done, std::uint64_t of) {
  if (silent_) return;
  const auto now = Clock::now();
  if (!shown_) first_ = done;
  // The first step is shown at once: it moves.
  const bool moves = done > first_ && !moved_;
  const bool due = now - shown_at_ >= (terminal_ ? Clock::duration(kRedraw) : kNextLine);
  if (shown_ && !moves && !due && done != of) return;
  shown_ = true;
  moved_ = moved_ || moves;
  shown_at_ = now;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  std::string line = fmt::format("{} of {} records", done, of);
  if (done > first_ && seconds > 0)
    line += fmt::format(", {:.0f}/s", static_cast<double>(done - first_) / seconds);
  draw(line);
}

void ProgressLine::note(const std::string& line) {
  clear();
  put(line + "\n");
}

void ProgressLine::clear() {
  if (width_ > 0) put("\r" + std::string(width_, ' ') + "\r");
  width_ = 0;
}

void ProgressLine::draw(const std::string& line) {
  if (!terminal_) return put(line + "\n");
  const std::size_t rest = width_ > line.size() ? width_ - line.size() : 0;
  put("\r" + line + std::string(rest, ' '));
  width_ = line.size();
}

}  // namespace annolog::app
