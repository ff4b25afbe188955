// Bytes as gzip (RFC 1952), by libarchive; the same bytes give the same file. One thread each.
// Throws std::runtime_error when the library fails, and what the sink throws.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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

// The lines of a file, plain or gzip, without their breaks, until `take` returns false. Throws
// std::runtime_error when it can't be read, is damaged, or has a line above `max_line_bytes`.
void each_line(const std::filesystem::path& file, std::size_t max_line_bytes,
               const std::function<bool(std::string_view)>& take);

}  // namespace annolog::workers
