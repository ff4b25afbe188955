// What an auditor takes away: signed checkpoints of the log, the public keys that check them,
// exports and archives of the audit. docs/decisions/0031; docs/operations.md, "For an auditor".
#include <algorithm>

#include <boost/describe/class.hpp>

#include "api/audit_filter.hpp"
#include "api/pages.hpp"
#include "api/places.hpp"
#include "api/routes/tables.hpp"
#include "api/stream_job.hpp"
#include "api/work.hpp"
#include "domain/identity/refusals.hpp"
#include "platform/encoding.hpp"
#include "projections/checkpoints/store.hpp"

namespace annolog::api {

struct CheckpointView {
  std::int64_t number = 0;
  Timestamp at;
  std::string statement;
  std::string key_id;
  std::string signature;
};
BOOST_DESCRIBE_STRUCT(CheckpointView, (), (number, at, statement, key_id, signature))

struct CheckpointPage {
  std::vector<CheckpointView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(CheckpointPage, (), (items, next_cursor))

struct PublicKeyView {
  std::string kty = "OKP";
  std::string crv = "Ed25519";
  std::string kid;
  std::string x;
  std::string use = "sig";
  std::string alg = "EdDSA";
  std::string pem;
};
BOOST_DESCRIBE_STRUCT(PublicKeyView, (), (kty, crv, kid, x, use, alg, pem))

struct PublicKeySet {
  std::vector<PublicKeyView> keys;
};
BOOST_DESCRIBE_STRUCT(PublicKeySet, (), (keys))

struct AuditExportQuery {
  std::string format;
  std::optional<UserId> actor_id;
  std::optional<std::string> action;
  std::optional<std::string> target_type;
  std::optional<std::int64_t> target_id;
  std::optional<ProjectId> project_id;
  std::optional<std::int64_t> status_code;
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;
};
BOOST_DESCRIBE_STRUCT(AuditExportQuery, (),
                      (format, actor_id, action, target_type, target_id, project_id, status_code,
                       from, to))

struct ArchiveBody {
  Timestamp before;
};
BOOST_DESCRIBE_STRUCT(ArchiveBody, (), (before))

struct JobStarted {
  JobId job_id;
};
BOOST_DESCRIBE_STRUCT(JobStarted, (), (job_id))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::CheckpointView> {
  static constexpr std::string_view kName = "Checkpoint";
  static void apply(ObjectRules& rules) {
    rules.describe("Where each shard's log and audit rows ended, signed.");
    rules.field("statement").describe("JSON, byte for byte as it was signed.");
    rules.field("signature").describe("Ed25519 of the statement, base64url.");
  }
};
template <>
struct SchemaRules<api::PublicKeySet> {
  static void apply(ObjectRules& rules) {
    rules.describe("JSON Web Keys (RFC 8037), the one that signs now first.");
  }
};
template <>
struct SchemaRules<api::AuditExportQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("format").one_of({"csv", "json"}).describe("json can be checked offline.");
    api::audit_filter_rules(rules);
  }
  static void check(const api::AuditExportQuery& query, std::vector<FieldError>& errors) {
    api::check_audit_filter(query, errors);
  }
};
template <>
struct SchemaRules<api::ArchiveBody> {
  static constexpr std::string_view kName = "AuditArchive";
  static void apply(ObjectRules& rules) {
    rules.field("before").describe("Rows from before this time; not in the future.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

constexpr std::size_t kExportsAtOnceOfAudit = 4;
constexpr std::size_t kProofsOfUser = 2;

DomainError too_many_proofs() {
  return {DomainError::Kind::limited,
          "TOO_MANY_EXPORTS",
          "At most " + std::to_string(kProofsOfUser) + " audit exports of a user run at once.",
          {},
          {},
          10};
}

CheckpointView view_of(projections::StoredCheckpoint&& row) {
  return {row.number, row.at, std::move(row.statement), std::move(row.key_id),
          std::move(row.signature)};
}

awaitable<HandlerResult> list_checkpoints(Call& call, Services& services) {
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(auto before, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(
      auto page, co_await read(services, [&] {
        return projections::CheckpointQueries(services.reads)
            .page(before ? std::optional(projections::CheckpointNumber{*before}) : std::nullopt,
                  query.limit);
      }));
  std::vector<CheckpointView> items;
  items.reserve(page.items.size());
  for (auto& row : page.items) items.push_back(view_of(std::move(row)));
  co_return http::reply_json_text(200, page_json(items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_checkpoint(Call& call, Services& services) {
  const auto number = call.number("number");
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return projections::CheckpointQueries(services.reads).find(number);
                       }));
  if (!found) co_return not_found("checkpoint");
  co_return http::reply(200, view_of(std::move(*found)));
}

awaitable<HandlerResult> get_public_keys(Call&, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto stored, co_await read(services, [&] {
                         return projections::CheckpointQueries(services.reads).keys();
                       }));
  PublicKeySet set;
  const auto add = [&](const platform::Ed25519PublicKey& key) {
    const std::string kid = platform::key_id_of(key);
    const auto is_it = [&](const PublicKeyView& view) { return view.kid == kid; };
    if (std::ranges::any_of(set.keys, is_it)) return;
    set.keys.push_back({.kid = kid,
                        .x = platform::to_base64url(platform::as_bytes_view(key)),
                        .pem = platform::to_pem(key)});
  };
  for (const auto& key : services.signing_public_keys()) add(key);
  for (const auto& row : stored) {
    const auto bytes = platform::from_base64url(row.public_key);
    platform::Ed25519PublicKey key{};
    if (!bytes || bytes->size() != key.size()) continue;
    std::copy(bytes->begin(), bytes->end(), key.begin());
    add(key);
  }
  co_return http::reply(200, set);
}

struct AuditExporting {
  Services& services;
  Places places{
      {.all = kExportsAtOnceOfAudit, .each = kProofsOfUser},
      too_many_proofs(),
      services.metrics.gauge({"exports_running", "Exports under way", {{"kind", "audit"}}})};
};

// Its own row is written when this has returned, before the first byte leaves.
awaitable<HandlerResult> export_audit(Call& call, AuditExporting& on) {
  Services& services = on.services;
  const auto& query = call.query<AuditExportQuery>();
  call.audit().detail.format = query.format;
  BOOST_OUTCOME_CO_TRY(auto place, on.places.take(call.caller().id.value));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  std::shared_ptr<ExportJob> job;
  BOOST_OUTCOME_CO_TRY(co_await read(services, [&]() -> Result<void> {
    BOOST_OUTCOME_TRY(auto opened, services.open_audit_export(scope_of(query), query.format));
    job = std::move(opened);
    return success();
  }));
  co_return stream_job(call, services, std::move(job), std::move(place))
      .header("Cache-Control", "no-store");
}

awaitable<HandlerResult> archive_audit(Call& call, Services& services) {
  const auto& body = call.body<ArchiveBody>();
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, StartAuditArchive{body.before},
                                            codec::to_json_text(body)));
  const JobId id = done.get<JobState>().id;
  co_return written(http::reply(202, JobStarted{id})
                        .header("Location", "/api/v1/async-jobs/" + std::to_string(id.value)),
                    done);
}

}  // namespace

http::RouteTable audit_proof_routes(Services& services) {
  const auto on = std::make_shared<AuditExporting>(services);
  const auto auditors = http::Access::needs(Action::govern, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/audit/checkpoints",
       .operation_id = "listCheckpoints",
       .summary = "Signed checkpoints of the log and the audit, newest first",
       .tag = "audit",
       .access = auditors,
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<CheckpointPage>(200),
       .handler = [&services](Call& call) { return list_checkpoints(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/audit/checkpoints/{number:int}",
       .operation_id = "getCheckpoint",
       .summary = "One of them",
       .tag = "audit",
       .access = auditors,
       .reply = http::replies<CheckpointView>(200),
       .handler = [&services](Call& call) { return get_checkpoint(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/audit/public-key",
       .operation_id = "getAuditPublicKeys",
       .summary = "The public keys that check checkpoints, audit exports and archives",
       .tag = "audit",
       .access = http::Access::open(),
       .reply = http::replies<PublicKeySet>(200),
       .description = "What annolog audit verify and annolog log verify take as --key.",
       .handler = [&services](Call& call) { return get_public_keys(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/audit-logs/export",
       .operation_id = "exportAuditLogs",
       .summary = "Audit rows as a file, oldest first: csv or json",
       .tag = "audit",
       .access = auditors,
       .action = "audit.export",
       .target = "audit",
       .query = http::query_of<AuditExportQuery>(),
       .reply = http::replies_media({"application/json", "text/csv"},
                                    "json: one document, a line for each row, which annolog audit "
                                    "verify checks as it is; or text/csv."),
       .description = "EXPORT_TOO_LARGE (413) above 50,000 rows: narrow the times, or archive.",
       .handler = [on](Call& call) { return export_audit(call, *on); }},
      {.method = http::Method::post,
       .path = "/api/v1/audit-logs/archive",
       .operation_id = "archiveAuditLogs",
       .summary = "Copies the audit rows from before a moment into the object store, as a job",
       .tag = "audit",
       .access = auditors,
       .action = "audit.archive",
       .target = "async_job",
       .body = http::Body::json<ArchiveBody>(),
       .reply = http::replies<JobStarted>(202),
       .description = "The rows stay. The job's result has the file's key, size and SHA-256.",
       .handler = [&services](Call& call) { return archive_audit(call, services); }},
  };
}

}  // namespace annolog::api
