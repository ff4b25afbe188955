// Bytes as gzip (RFC 1952), by zlib; the same bytes give the same file. One thread each. Throws
// std::runtime_error where no more is said, and what the sink throws.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace annolog::workers {

class GzipWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit GzipWriter(Sink sink);
  ~GzipWriter();  // without finish() the stream has no end
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The bytes are not as they were packed: altered, cut off, or with others behind them.
class DamagedGzip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The lines of a file, plain or gzip, without their breaks, until `take` returns false. Throws
// std::runtime_error when it can't be read or has a line above `max_line_bytes`, and DamagedGzip,
// which is known at the end only for some damage: after the last line.
void each_line(const std::filesystem::path& file, std::size_t max_line_bytes,
               const std::function<bool(std::string_view)>& take);

}  // namespace annolog::workers
