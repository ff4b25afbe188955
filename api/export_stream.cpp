#include "api/export_stream.hpp"

#include <chrono>
#include <utility>

namespace annolog::api {
namespace {

constexpr std::chrono::seconds kPatience{120};

}  // namespace

void ExportStream::write(std::string_view bytes) {
  // The first bytes leave at once; later ones are gathered into pieces worth a system call.
  const bool first = gathering_.empty() && gathering_.capacity() < kPieceBytes;
  gathering_ += bytes;
  if (!first && gathering_.size() < kPieceBytes) return;
  std::string piece;
  piece.reserve(kPieceBytes);
  piece.swap(gathering_);
  gathering_.reserve(kPieceBytes);
  push(std::move(piece));
}

void ExportStream::push(std::string piece) {
  std::unique_lock guard(mutex_);
  const bool room =
      room_.wait_for(guard, kPatience, [&] { return closed_ || pieces_.size() < kPiecesMax; });
  if (closed_ || !room) throw ReaderGone();
  pieces_.push_back(std::move(piece));
  settle(guard);
}

void ExportStream::finish() {
  if (!gathering_.empty()) push(std::move(gathering_));
  std::unique_lock guard(mutex_);
  finished_ = true;
  settle(guard);
}

void ExportStream::fail(std::exception_ptr failure) {
  std::unique_lock guard(mutex_);
  failure_ = std::move(failure);
  settle(guard);
}

void ExportStream::next(std::function<void(Piece)> done) {
  std::unique_lock guard(mutex_);
  waiting_ = std::move(done);
  settle(guard);
}

void ExportStream::close() {
  const std::lock_guard guard(mutex_);
  closed_ = true;
  room_.notify_all();
}

// Gives the waiting reader what there is for it, if anything.
void ExportStream::settle(std::unique_lock<std::mutex>& guard) {
  if (!waiting_) return;
  Piece piece;
  if (!pieces_.empty()) {
    piece.bytes = std::move(pieces_.front());
    pieces_.pop_front();
    room_.notify_all();
  } else if (failure_) {
    piece.failure = failure_;
  } else if (!finished_) {
    return;
  }
  auto done = std::exchange(waiting_, nullptr);
  guard.unlock();
  done(std::move(piece));
}

}  // namespace annolog::api
