// How far an import is: one line redrawn in place on a terminal, else a line every twentieth of the
// way. Thread-safe. Rates are megabytes (10^6 bytes) a second since it was made.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>

namespace annolog::client {

class Progress {
 public:
  Progress(std::ostream& out, bool terminal, std::string what, std::size_t total);
  ~Progress();  // leaves the last line complete

  void add_bytes(std::uint64_t bytes);
  void done_one();
  // A line of its own, above the progress line.
  void note(const std::string& line);

 private:
  std::string line(std::chrono::steady_clock::time_point now) const;
  void draw(bool force);

  std::ostream& out_;
  const bool terminal_;
  const std::string what_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point drawn_;
  std::size_t done_ = 0;
  std::uint64_t bytes_ = 0;
  std::size_t twentieths_ = 0;
  std::size_t width_ = 0;  // of the line now on the terminal
};

}  // namespace annolog::client
