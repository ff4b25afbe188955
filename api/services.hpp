// What the routes work with: made by the composition root, handed to every route table. All
// references outlive the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "api/asyncapi/document.hpp"
#include "api/directory.hpp"
#include "api/personal_data.hpp"
#include "api/positions.hpp"
#include "commands/bus.hpp"
#include "commands/position.hpp"
#include "domain/audit/proof.hpp"
#include "domain/dataset/commands.hpp"
#include "platform/clock.hpp"
#include "platform/ed25519.hpp"
#include "platform/jwt.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "platform/objects/object_store.hpp"
#include "platform/objects/signed_url.hpp"
#include "platform/password.hpp"
#include "platform/rate_limiter.hpp"
#include "platform/thread_pool.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::commands {
class Naming;
}  // namespace annolog::commands

namespace annolog::http {
class Cursors;
}

namespace annolog::api::realtime {
class Hub;
}

namespace annolog::api {

class AuditOrigins;
class OpenedOrigins;
class Captchas;
class ChangeWatch;
struct OidcDoor;
class SecondLook;
class SignInFailures;
class TaskLoader;
class TaskPages;
struct ReadLineParts;

// An export that is about to be streamed: it reads from one snapshot of the read models.
class ExportJob {
 public:
  virtual ~ExportJob() = default;
  virtual std::vector<commands::Position> positions() const = 0;
  virtual std::string content_type() const = 0;
  virtual std::string file_name() const = 0;
  // Blocking; `sink` may block and throws when the client is gone.
  virtual void write(const std::function<void(std::string_view)>& sink) = 0;
};

struct ExportedBatch {
  BatchId id;
  std::string display_id;
};

struct ExportRequest {
  ProjectId project_id;
  std::string format;
  bool include_attributes = false;
  std::vector<TaskStatus> statuses = {};    // empty: all tasks
  std::vector<ClassId> class_ids = {};      // of annotations; empty: all
  std::optional<ExportedBatch> batch = {};  // absent: all tasks
};

// An export holds a thread and a connection to PostgreSQL until its reader has taken all of it: few
// enough for max_connections (deploy/postgres), enough that some slow readers keep nobody waiting.
inline constexpr std::size_t kExportsAtOnce = 16;
// Each from the first byte of its document on, which lies beside the log: max_import_bytes at most.
// More than are worked on, as a document may come slowly; those that are here wait their turn.
inline constexpr std::size_t kImportsUnderWay = 8;
inline constexpr std::size_t kImportsAtOnce = 4;

// What app/ wires in, since api/ may not know the workers. Null: the snapshot is of a moment when
// tasks still had to follow their batches (api/settled_reads.hpp); a later one shows them.
using OpenExport = std::function<Result<std::unique_ptr<ExportJob>>(const ExportRequest&)>;
// The format's name is refused (422), or does not suit the project's type (400).
using CheckExport = std::function<Result<void>(const ExportRequest&, ProjectType type)>;
struct ImportRequest {
  ProjectId project_id;
  std::string format;            // coco or native_json
  bool prefer_polygons = false;  // where a row has a box and polygons
  bool dry_run = false;
  std::filesystem::path folder;  // of the request's own
  std::filesystem::path document;
};

struct ImportError {
  std::string place;  // a JSON pointer
  std::string code;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ImportError, (), (place, code, message))

struct ImportedDocument {
  std::int64_t imported = 0;
  std::int64_t skipped = 0;
  std::int64_t unmatched = 0;
  std::int64_t error_count = 0;
  std::map<std::string, std::int64_t> errors_by_code;
  std::vector<ImportError> errors;
  bool dry_run = false;
};
BOOST_DESCRIBE_STRUCT(ImportedDocument, (),
                      (imported, skipped, unmatched, error_count, errors_by_code, errors, dry_run))

// Blocking; `send` calls back from any thread.
using SendImport =
    std::function<void(ImportAnnotations, std::function<void(Result<ImportOutcome>)>)>;
using ImportDocument =
    std::function<Result<ImportedDocument>(const ImportRequest&, const SendImport& send)>;

// A copy of the audit rows of the scope, which leaves when it is written. EXPORT_TOO_LARGE (413)
// when there are more than kAuditExportRows.
inline constexpr std::int64_t kAuditExportRows = 50'000;
using OpenAuditExport = std::function<Result<std::unique_ptr<ExportJob>>(
    const AuditScope& scope, const std::string& format)>;
// The public halves of the keys that sign, the newest first.
using SigningPublicKeys = std::function<std::vector<platform::Ed25519PublicKey>()>;

struct ImageFacts {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::string content_type;  // as the bytes themselves announce it
};
using ProbeImage =
    std::function<Result<ImageFacts>(platform::ByteSource& bytes, std::string_view content_type)>;

// The sizes of items, read from their bytes; which can't be had, and why. Blocking.
using MeasureItemsOf =
    std::function<void(std::span<const ItemView> items, std::vector<ItemSize>& sizes,
                       std::vector<MeasureFailure>& failed)>;

// Whether a webhook may lead there (422 at `url`). Blocks for as long as a name takes to resolve.
using CheckWebhookUrl = std::function<Result<void>(const std::string& url)>;

// One part of /health.
struct HealthCheck {
  std::string name;
  std::function<bool(std::string& detail)> ok;  // blocking
};

struct ApiOptions {
  std::string version;
  std::string public_url;
  std::vector<std::string> cors_origins = {};  // whose pages may open sockets, too
  LogTopics log_topics;                        // as Kafka has them, or would
  std::int64_t command_deadline_ms = 10'000;
  std::int64_t read_wait_ms = 2'000;
  std::int64_t access_token_ms = 30 * 60 * 1000;
  std::int64_t refresh_token_ms = 7LL * 24 * 3600 * 1000;
  std::int64_t refresh_rate_per_minute = 5;
  bool open_registration = false;
  std::int64_t max_invitations_per_day = 30;
  std::int64_t notifications_kept_ms = 90LL * 24 * 3600 * 1000;
  std::int64_t signed_url_ms = 15 * 60 * 1000;
  std::int64_t max_image_bytes = kMaxImageBytes;
  std::int64_t max_video_bytes = kMaxVideoBytes;
  std::int64_t max_import_bytes = std::int64_t{4} << 30;
  std::int64_t event_readers = 300;          // streams of events and calls that wait for one
  std::int64_t event_readers_of_user = 10;   // of those
  std::filesystem::path import_folder = {};  // where documents wait while they are imported
};

struct Services {
  const ApiOptions& options;
  const std::atomic<bool>& stopping;  // the process ends soon: long waits give what they have
  const platform::Clock& clock;
  platform::Logger& logger;
  platform::Metrics& metrics;
  commands::CommandBus& bus;
  commands::Naming& naming;
  projections::ReadPool& reads;
  projections::ReadBarrier& barrier;
  platform::ThreadPool& read_threads;
  const ReadLineParts& read_lines;  // see ask.hpp
  platform::ThreadPool& login_threads;
  platform::ThreadPool& file_threads;
  platform::ThreadPool& hash_threads;  // for files that take seconds to minutes to read
  platform::ThreadPool& export_threads;
  platform::ThreadPool& import_threads;
  platform::ThreadPool& name_threads;  // for what asks the name servers
  Directory& directory;
  ChangeWatch& changes;
  Acknowledged& acknowledged;
  SecondLook& second_look;
  PersonalData& personal_data;
  AuditOrigins& audit_origins;
  OpenedOrigins& opened_origins;
  const platform::Jwt& jwt;
  platform::MacKey secrets_key;  // see auth/secrets.hpp
  const platform::PasswordHasher& hasher;
  platform::RateLimiter& login_rate;
  SignInFailures& sign_in_failures;
  Captchas& captchas;
  OidcDoor* oidc;  // null: sign-in by a provider is off
  platform::RateLimiter& registration_rate;
  platform::ObjectStore& objects;
  const platform::SignedUrls& signed_urls;
  const http::Cursors& cursors;
  TaskLoader& tasks;
  TaskPages& task_pages;
  realtime::Hub& sockets;
  OpenExport open_export;
  CheckExport check_export;
  OpenAuditExport open_audit_export;
  SigningPublicKeys signing_public_keys;
  ImportDocument import_document;
  ProbeImage probe_image;
  MeasureItemsOf measure_items;
  CheckWebhookUrl check_webhook_url;
  platform::MacKey webhook_key;  // what webhooks' secrets are derived with
  std::vector<HealthCheck> health;
};

}  // namespace annolog::api
