// How many records an operator's command has dealt with, on stderr: one line redrawn in place on a
// terminal, else a line now and then. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace annolog::app {

class ProgressLine {
 public:
  enum class Elsewhere { lines, nothing };  // where stderr is no terminal
  explicit ProgressLine(Elsewhere elsewhere);
  ~ProgressLine();  // leaves the last line complete
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::uint64_t done, std::uint64_t of);
  // A line of its own, on stderr.
  void note(const std::string& line);
  // Takes the line off the terminal, for output of another kind.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const std::string& line);

  const bool terminal_;
  const bool silent_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point shown_at_;
  std::uint64_t first_ = 0;  // done when it began: not counted in the rate
  bool shown_ = false;
  bool moved_ = false;
  std::size_t width_ = 0;  // of the line that stands on the terminal
};

}  // namespace annolog::app
