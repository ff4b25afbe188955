#include "api/stream_job.hpp"

#include <utility>

#include "api/await_callback.hpp"
#include "api/export_stream.hpp"

namespace annolog::api {
namespace {

// Closes the stream when the answer is over, however it ends, so that the writer stops.
class CloseAtEnd {
 public:
  explicit CloseAtEnd(std::shared_ptr<ExportStream> stream) : stream_(std::move(stream)) {}
  ~CloseAtEnd() { stream_->close(); }
  CloseAtEnd(const CloseAtEnd&) = delete;
  CloseAtEnd& operator=(const CloseAtEnd&) = delete;

 private:
  std::shared_ptr<ExportStream> stream_;
};

void write_job(ExportJob& job, ExportStream& stream, platform::Logger& logger) {
  try {
    job.write([&](std::string_view bytes) { stream.write(bytes); });
    stream.finish();
  } catch (const ExportStream::ReaderGone&) {
    logger.info("an export ended early: its reader went away");
  } catch (const std::exception& error) {
    logger.error("an export failed", {{"error", error.what()}});
    stream.fail(std::current_exception());
  }
}

http::StreamBody send(std::shared_ptr<ExportStream> stream,
                      const boost::asio::any_io_executor& executor) {
  // Held by the answer itself: one that is never sent (HEAD, a client gone) stops the writer too.
  auto close = std::make_shared<CloseAtEnd>(stream);
  return [stream, executor, close](http::BodyWriter& out) -> awaitable<void> {
    for (;;) {
      auto piece = co_await await_callback<ExportStream::Piece>(
          executor,
          [&](std::function<void(ExportStream::Piece)> done) { stream->next(std::move(done)); });
      if (piece.failure) std::rethrow_exception(piece.failure);
      if (!piece.bytes) co_return;
      co_await out.write(*piece.bytes);
    }
  };
}

}  // namespace

http::Reply stream_job(Call& call, Services& services, std::shared_ptr<ExportJob> job,
                       Places::Place place) {
  auto reply_head = std::pair(job->content_type(), job->file_name());
  auto stream = std::make_shared<ExportStream>();
  const bool taken = services.export_threads.try_post(
      [place = std::move(place), job = std::move(job), stream, &logger = services.logger] {
        write_job(*job, *stream, logger);
      });
  if (!taken) throw http::Unavailable("the service is stopping");
  return http::stream(std::move(reply_head.first), send(stream, call.executor()))
      .header("Content-Disposition", "attachment; filename=\"" + reply_head.second + "\"");
}

}  // namespace annolog::api
