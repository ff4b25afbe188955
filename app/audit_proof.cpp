#include "app/audit_proof.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/audit_origins.hpp"
#include "api/csv.hpp"
#include "app/storage.hpp"
#include "eventstore/chain.hpp"
#include "eventstore/readable_end.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "workers/audit/audit_export.hpp"

namespace annolog::app {
namespace {

using eventstore::Offset;
using eventstore::ShardId;
using nlohmann::json;

constexpr std::chrono::seconds kEndWait{5};
constexpr std::chrono::seconds kReadWait{10};

DomainError too_large(std::int64_t rows) {
  return {DomainError::Kind::too_large,
          "EXPORT_TOO_LARGE",
          "More than " + std::to_string(api::kAuditExportRows) +
              " rows: ask for less time, or for an archive.",
          {{"count", rows}, {"limit", api::kAuditExportRows}},
          {},
          0};
}

// A member of a row as a field of a spreadsheet.
std::string cell(const json& row, const char* name) {
  const auto found = row.find(name);
  if (found == row.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

class AuditExportJob final : public api::ExportJob {
 public:
  AuditExportJob(projections::ReadPool& reads, AuditScope scope, bool as_csv,
                 const workers::AuditLog& log, const workers::StatementSigner& signer,
                 const projections::Unseal& unseal, Timestamp now)
      : snapshot_(reads, scope), as_csv_(as_csv), signer_(signer), unseal_(unseal) {
    rows_ = snapshot_.count(api::kAuditExportRows + 1);
    if (rows_ <= api::kAuditExportRows && !as_csv)
      header_ = workers::header_of(snapshot_, scope, log, now);
  }

  std::int64_t rows() const { return rows_; }
  std::vector<eventstore::Position> positions() const override { return {}; }
  std::string content_type() const override {
    return as_csv_ ? "text/csv; charset=utf-8" : "application/json";
  }
  std::string file_name() const override { return as_csv_ ? "audit.csv" : "audit.json"; }
  void write(const std::function<void(std::string_view)>& sink) override {
    if (as_csv_) return write_csv(sink);
    workers::AuditFileWriter writer(sink, workers::AuditFraming::document, signer_);
    workers::write_audit_file(snapshot_, header_, writer, unseal_,
                              [](std::int64_t) { return true; });
  }

 private:
  // For people: the digest of each row's record leads to it in an export as JSON.
  void write_csv(const std::function<void(std::string_view)>& sink) {
    constexpr const char* kMembers[] = {
        "id",         "shard",      "number",     "created_at", "actor_id",    "actor_email",
        "actor_role", "action",     "method",     "path",       "status_code", "target_type",
        "target_id",  "project_id", "request_id", "ip",         "user_agent",  "detail_json"};
    std::vector<std::string> fields(std::begin(kMembers), std::end(kMembers));
    fields.emplace_back("record_sha256");
    std::string text;
    api::add_csv_row(text, fields);
    for (auto records = snapshot_.next(); !records.empty(); records = snapshot_.next()) {
      for (auto& record : records) {
        const auto row = workers::readable(std::move(record), unseal_);
        json line = json::parse(workers::row_text(row) + "}");
        line.update(json(line.at("detail_json")));  // request_id and user_agent are columns
        fields.clear();
        for (const char* member : kMembers) fields.push_back(cell(line, member));
        fields.push_back(workers::hex_digest(row.record));
        api::add_csv_row(text, fields);
      }
      sink(std::exchange(text, {}));
    }
    sink(text);
  }

  projections::AuditSnapshot snapshot_;
  const bool as_csv_;
  const workers::StatementSigner& signer_;
  const projections::Unseal& unseal_;
  std::int64_t rows_ = 0;
  workers::AuditFileHeader header_;
};

std::string name_of(const platform::Settings& settings) {
  return settings.node_name.empty() ? "node" : settings.node_name;
}

}  // namespace

workers::LogEnds log_ends(const eventstore::EventLog& log) {
  workers::LogEnds ends;
  ends.log_id = log.log_info().log_id;
  ends.shard_count = log.shard_count();
  ends.end = [&log](std::uint16_t shard, std::chrono::milliseconds longest) {
    // What is signed is read here: the end that this process has not heard of yet can't be.
    return static_cast<std::int64_t>(eventstore::readable_end(log, ShardId(shard), longest).value);
  };
  ends.chain = [&log](std::uint16_t shard, std::int64_t position) -> std::optional<std::string> {
    const auto found = log.read(ShardId(shard), Offset(static_cast<std::uint64_t>(position) - 1),
                                {.max_records = 1});
    if (found.empty()) return std::nullopt;
    return eventstore::to_hex(eventstore::as_bytes(found.front().chain));
  };
  return ends;
}

AuditProof::AuditProof(const Parts& parts)
    : parts_(parts),
      personal_data_(parts.keys_of_persons, parts.keyring),
      unseal_([this](UserId, const Sealed& sealed) {
        return api::open_origin_text(personal_data_, sealed);
      }),
      signer_(parts.keyring),
      audit_log_{parts.log.log_info().log_id, parts.log.shard_count()},
      archives_(archive_parts()),
      checkpoints_(checkpoint_parts(), std::chrono::seconds(parts.settings.checkpoint_seconds)) {}

workers::ArchiveWorker::Parts AuditProof::archive_parts() const {
  return {parts_.bus,
          parts_.reads,
          parts_.objects,
          parts_.clock,
          parts_.logger,
          signer_,
          audit_log_,
          [this] { return await_reads(); },
          name_of(parts_.settings)};
}

workers::Checkpointer::Parts AuditProof::checkpoint_parts() const {
  return {parts_.reads,         parts_.shared,
          log_ends(parts_.log), signer_,
          parts_.clock,         parts_.logger,
          parts_.metrics,       DataFolders(parts_.settings).root / "checkpoints.ndjson"};
}

// Rows of the past that are still on their way would be missing from an archive.
bool AuditProof::await_reads() const {
  const auto until = std::chrono::steady_clock::now() + kReadWait;
  for (std::uint16_t s = 0; s < parts_.log.shard_count() && !finishing_; ++s) {
    const ShardId shard(s);
    if (!parts_.barrier.wait(shard, parts_.log.latest_end(shard, kEndWait), until)) return false;
  }
  return !finishing_;
}

void AuditProof::start() {
  archives_.start();
  checkpoints_.start();
}

void AuditProof::finish() {
  finishing_ = true;
  archives_.finish();
}

api::OpenAuditExport AuditProof::open_export() const {
  return [this](const AuditScope& scope,
                const std::string& format) -> Result<std::unique_ptr<api::ExportJob>> {
    auto job = std::make_unique<AuditExportJob>(parts_.reads, scope, format == "csv", audit_log_,
                                                signer_, unseal_, parts_.clock.now());
    if (job->rows() > api::kAuditExportRows) return too_large(job->rows());
    return std::unique_ptr<api::ExportJob>(std::move(job));
  };
}

api::SigningPublicKeys AuditProof::public_keys() const {
  return [this] {
    const platform::Keyring& keyring = parts_.keyring;
    std::vector<platform::Ed25519PublicKey> keys;
    for (const std::string& kid : keyring.kids()) {
      const auto seed = keyring.find(platform::Purpose::checkpoint, kid);
      if (seed) keys.push_back(platform::Ed25519Key(*seed).public_key());
    }
    return keys;
  };
}

}  // namespace annolog::app
