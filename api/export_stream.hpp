// Carries bytes from a blocking writer on a pool thread to a coroutine that sends them: bounded, so
// a slow client slows the writer and memory stays flat.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace annolog::api {

class ExportStream {
 public:
  // Thrown to the writer when the reader has gone, or has not read for kPatience.
  struct ReaderGone : std::exception {
    const char* what() const noexcept override { return "the export's reader went away"; }
  };

  // Writer's side. write() blocks while kPiecesMax pieces wait.
  void write(std::string_view bytes);
  void finish();
  void fail(std::exception_ptr failure);

  // Reader's side: the next piece, nullopt at the end; rethrows what the writer failed with.
  // `done` is called once, from either side's thread.
  struct Piece {
    std::optional<std::string> bytes;
    std::exception_ptr failure;
  };
  void next(std::function<void(Piece)> done);
  void close();

 private:
  void push(std::string piece);
  void settle(std::unique_lock<std::mutex>& guard);

  static constexpr std::size_t kPieceBytes = 64 * 1024;
  static constexpr std::size_t kPiecesMax = 8;

  std::mutex mutex_;
  std::condition_variable room_;
  std::string gathering_;
  std::deque<std::string> pieces_;
  std::function<void(Piece)> waiting_;
  std::exception_ptr failure_;
  bool finished_ = false;
  bool closed_ = false;
};

}  // namespace annolog::api
