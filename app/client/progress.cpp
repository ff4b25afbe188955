#include "app/client/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace annolog::client {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kRedraw{100};

}  // namespace

Progress::Progress(std::ostream& out, bool terminal, std::string what, std::size_t total)
    : out_(out),
      terminal_(terminal),
      what_(std::move(what)),
      total_(total),
      started_(Clock::now()),
      drawn_(started_) {}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (!terminal_ || total_ == 0) return;
  draw(true);
  out_ << '\n' << std::flush;
}

void Progress::add_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
  draw(false);
}

void Progress::done_one() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (terminal_) return draw(done_ == total_);
  const std::size_t twentieths = total_ == 0 ? 0 : done_ * 20 / total_;
  if (twentieths == twentieths_) return;
  twentieths_ = twentieths;
  out_ << line(Clock::now()) << '\n' << std::flush;
}

void Progress::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (terminal_ && width_ > 0) out_ << '\r' << std::string(width_, ' ') << '\r';
  width_ = 0;
  out_ << text << '\n' << std::flush;
  draw(true);
}

std::string Progress::line(Clock::time_point now) const {
  const double seconds = std::max(std::chrono::duration<double>(now - started_).count(), 1e-3);
  const double megabytes = static_cast<double>(bytes_) / 1e6;
  std::string text = fmt::format("{} {}/{}", what_, done_, total_);
  if (bytes_ > 0) text += fmt::format(", {:.1f} MB, {:.1f} MB/s", megabytes, megabytes / seconds);
  return text;
}

void Progress::draw(bool force) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (!force && now - drawn_ < kRedraw) return;
  drawn_ = now;
  std::string text = line(now);
  const std::size_t shown = text.size();
  if (shown < width_) text.append(width_ - shown, ' ');
  width_ = shown;
  out_ << '\r' << text << std::flush;
}

}  // namespace annolog::client
