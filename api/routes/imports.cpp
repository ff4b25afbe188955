// Imports of annotations. The document goes to disk as it arrives and is read from there.
#include <fcntl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>

#include <boost/describe/class.hpp>

#include "api/places.hpp"
#include "api/routes/tables.hpp"
#include "api/visibility.hpp"
#include "api/work.hpp"
#include "platform/files.hpp"

namespace annolog::api {

struct ImportQuery {
  std::string format;
  bool dry_run = false;
  std::string shapes = "automatic";
};
BOOST_DESCRIBE_STRUCT(ImportQuery, (), (format, dry_run, shapes))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::ImportQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("format").one_of({"coco", "native_json", "yolo", "voc"});
    rules.field("dry_run").defaulted().describe("true: say what would be done, and do nothing.");
    rules.field("shapes")
        .defaulted()
        .one_of({"automatic", "boxes", "polygons"})
        .describe(
            "What a COCO row with both a box and polygons becomes; automatic: polygons in "
            "an image-seg project, else its box.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

constexpr std::size_t kImportPieceBytes = 256 * 1024;
constexpr std::size_t kImportsOfUser = 2;
constexpr std::chrono::minutes kLongestTurn{30};  // behind other imports

DomainError too_many_imports() {
  return {DomainError::Kind::limited,
          "TOO_MANY_IMPORTS",
          "At most " + std::to_string(kImportsOfUser) + " imports of a user are taken at once.",
          {},
          {},
          10};
}

DomainError storage_full() {
  return {DomainError::Kind::unavailable,
          "IMPORT_STORAGE_FAILED",
          "The document can't be stored while it is imported; try again later.",
          {},
          {},
          30};
}

DomainError too_large(std::int64_t max_bytes) {
  return {DomainError::Kind::too_large,
          "DOCUMENT_TOO_LARGE",
          "At most " + std::to_string(max_bytes) + " bytes.",
          {},
          {},
          0};
}

// Runs on the file threads; a disk that fails is a refusal.
template <class Write>
Result<void> on_disk(const Services& services, Write write) {
  try {
    write();
    return success();
  } catch (const std::system_error& error) {
    services.logger.error("a document to import was not stored", {{"error", error.what()}});
    return storage_full();
  }
}

awaitable<Result<void>> store(Call& call, Services& services, const std::filesystem::path& file) {
  const std::int64_t max_bytes = services.options.max_import_bytes;
  const auto declared = call.body_reader().declared_length();
  if (declared && *declared > static_cast<std::uint64_t>(max_bytes)) co_return too_large(max_bytes);
  platform::UniqueFd fd;
  BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.file_threads, [&] {
    return on_disk(services,
                   [&] { fd = platform::open_file(file, {O_WRONLY | O_CREAT | O_EXCL, 0600}); });
  }));
  std::vector<char> piece(kImportPieceBytes);
  for (;;) {
    BOOST_OUTCOME_CO_TRY(const auto n, co_await call.body_reader().read_some(piece));
    if (n == 0) co_return success();
    BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.file_threads, [&] {
      return on_disk(services,
                     [&] { platform::write_all(fd, std::string_view(piece.data(), n), file); });
    }));
  }
}

// Sends commands in the caller's name, and keeps where the last of them stands.
class Sender {
 public:
  Sender(const Call& call, Services& services)
      : services_(services),
        actor_(call.caller().id),
        role_(call.caller().role),
        request_id_(call.request_id()),
        traceparent_(call.traceparent()) {}

  void send(ImportAnnotations command, std::function<void(Result<ImportOutcome>)> done) {
    commands::Envelope envelope;
    envelope.command = std::move(command);
    envelope.actor = actor_;
    envelope.role = role_;
    envelope.request_id = request_id_;
    envelope.traceparent = traceparent_;
    envelope.deadline_ms = services_.clock.monotonic_ms() + services_.options.command_deadline_ms;
    envelope.done = [this, done = std::move(done)](commands::Outcome outcome) {
      if (outcome.position) note(*outcome.position);
      if (!outcome.reply && is_refused_by_log(outcome.reply.error())) refused_by_log_ = true;
      if (!outcome.reply) return done(std::move(outcome.reply).error());
      done(std::get<ImportOutcome>(std::move(outcome.reply).value()));
    };
    services_.bus.send(std::move(envelope));
  }

  // Some command: it may have been taken when it was sent again.
  bool refused_by_log() const { return refused_by_log_; }
  std::vector<commands::Position> positions() const {
    const std::lock_guard guard(mutex_);
    if (!last_) return {};
    return {*last_};
  }

 private:
  void note(commands::Position position) {
    services_.acknowledged.note(position);
    const std::lock_guard guard(mutex_);
    // All are of the project's shard.
    if (!last_ || last_->offset.value < position.offset.value) last_ = position;
  }

  Services& services_;
  UserId actor_;
  Role role_;
  std::string request_id_;
  std::string traceparent_;
  std::atomic<bool> refused_by_log_ = false;
  mutable std::mutex mutex_;
  std::optional<commands::Position> last_;
};

Result<ImportedDocument> run_import(Services& services, const ImportRequest& request,
                                    Sender& sender) {
  try {
    return services.import_document(
        request,
        [&sender](ImportAnnotations command, std::function<void(Result<ImportOutcome>)> done) {
          sender.send(std::move(command), std::move(done));
        });
  } catch (const std::system_error& error) {
    services.logger.error("an import's files failed", {{"error", error.what()}});
    return storage_full();
  }
}

awaitable<HandlerResult> import_document(Call& call, Services& services, Places& places) {
  const auto& query = call.query<ImportQuery>();
  call.audit().detail.format = query.format;
  const auto id = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto project, co_await project_of_id(call, services, id));
  if (project.status == ProjectStatus::archived) co_return project_archived();
  // For the document and its import, before the body is taken in: nobody sends gigabytes only to be
  // refused.
  BOOST_OUTCOME_CO_TRY(const auto place, places.take(call.caller().id.value));
  std::unique_ptr<platform::TempDir> folder;
  BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.file_threads, [&] {
    return on_disk(services, [&] {
      folder = std::make_unique<platform::TempDir>(services.options.import_folder);
    });
  }));
  const bool polygons = query.shapes == "polygons" ||
                        (query.shapes == "automatic" && project.type_key == ProjectType::image_seg);
  const ImportRequest request{.project_id = id,
                              .format = query.format,
                              .prefer_polygons = polygons,
                              .dry_run = query.dry_run,
                              .folder = folder->path(),
                              .document = folder->path() / "document"};
  BOOST_OUTCOME_CO_TRY(co_await store(call, services, request.document));
  // Tasks that were made while the document came are seen, too.
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  Sender sender(call, services);
  auto done = co_await http::blocking(
      services.import_threads, [&] { return run_import(services, request, sender); }, kLongestTurn);
  if (!done) {
    call.audit().refused_by_log = sender.refused_by_log() && is_refused_by_log(done.error());
    co_return std::move(done).error();
  }
  co_return written(http::reply(200, done.assume_value()), sender.positions(), false);
}

}  // namespace

http::RouteTable import_routes(Services& services) {
  const auto max_bytes = static_cast<std::uint64_t>(services.options.max_import_bytes);
  const auto places = std::make_shared<Places>(
      Places::Limits{.all = kImportsUnderWay, .each = kImportsOfUser}, too_many_imports());
  return {{.method = http::Method::post,
           .path = "/api/v1/projects/{project_id}/annotations/import",
           .operation_id = "importAnnotations",
           .summary = "Brings the annotations of a document into the project's tasks; what is "
                      "there already is passed over, so a repetition changes nothing",
           .tag = "annotations",
           .access = http::Access::needs(Action::administer, http::Scope::project),
           .action = "annotation.import",
           .query = http::query_of<ImportQuery>(),
           .body = http::Body::stream(
               {}, max_bytes,
               "The document: COCO or native JSON, or a zip of YOLO labels or of Pascal VOC."),
           .reply = http::replies<ImportedDocument>(200),
           .handler = [&services, places](Call& call) {
             return import_document(call, services, *places);
           }}};
}

}  // namespace annolog::api
