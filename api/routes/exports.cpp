// Exports of a project, streamed.
#include <boost/describe/class.hpp>

#include "api/await_callback.hpp"
#include "api/export_stream.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"

namespace annolog::api {

struct ExportQuery {
  std::string format;
  bool include_attributes = false;
};
BOOST_DESCRIBE_STRUCT(ExportQuery, (), (format, include_attributes))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::ExportQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("format").one_of({"coco", "yolo", "native_json"});
    rules.field("include_attributes").defaulted();
  }
};

}  // namespace annolog::http

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

awaitable<HandlerResult> export_project(Call& call, Services& services) {
  const auto& query = call.query<ExportQuery>();
  const ExportRequest request{call.id<ProjectId>("project_id"), query.format,
                              query.include_attributes};
  BOOST_OUTCOME_CO_TRY(auto project, co_await project_of_id(call, services, request.project_id));
  BOOST_OUTCOME_CO_TRY(services.check_export(request, project.type_key));
  // The trace comes first; the snapshot then holds at least what stood when it was asked for.
  BOOST_OUTCOME_CO_TRY(co_await run_command(
      call, services,
      RecordExport{request.project_id, request.format, request.include_attributes}));
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, request.project_id.value)));
  std::shared_ptr<ExportJob> job;
  BOOST_OUTCOME_CO_TRY(co_await read(services, [&]() -> Result<void> {
    BOOST_OUTCOME_TRY(auto opened, services.open_export(request));
    job = std::move(opened);
    return success();
  }));
  auto stream = std::make_shared<ExportStream>();
  const bool taken = services.export_threads.try_post(
      [job, stream, &logger = services.logger] { write_job(*job, *stream, logger); });
  if (!taken) {
    co_return DomainError{DomainError::Kind::unavailable,
                          "OVERLOADED",
                          "Too many exports are running; try again soon.",
                          {},
                          {},
                          10};
  }
  co_return written(
      http::stream(job->content_type(), send(stream, call.executor()))
          .header("Content-Disposition", "attachment; filename=\"" + job->file_name() + "\""),
      job->positions(), false);
}

}  // namespace

http::RouteTable export_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/export",
       .operation_id = "exportProject",
       .summary = "The project's annotations as COCO, YOLO or the platform's own JSON",
       .tag = "exports",
       .access = http::Access::needs(Action::export_project, http::Scope::project),
       .query = http::query_of<ExportQuery>(),
       .reply = http::replies_media("application/octet-stream",
                                    "coco and native_json: JSON; yolo: a zip."),
       .handler = [&services](Call& call) { return export_project(call, services); }},
  };
}

}  // namespace annolog::api
