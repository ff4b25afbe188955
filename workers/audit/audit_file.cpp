#include "workers/audit/audit_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "domain/codec/domain_json.hpp"
#include "platform/encoding.hpp"

namespace annolog::workers {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json text_or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json(nullptr);
}

}  // namespace

std::string line_member(const std::string& of_record) {
  if (of_record == "at") return "created_at";
  if (of_record == "status") return "status_code";
  return of_record;
}

std::string row_text(const AuditFileRow& row) {
  const auto record = ordered_json::parse(row.record, nullptr, false);
  if (!record.is_object()) throw std::runtime_error("an audit row's data is no JSON object");
  ordered_json line{{"shard", row.id % kAuditIdShards}, {"id", row.id}};
  for (const auto& [name, value] : record.items())
    if (std::ranges::find(kUnrepeated, name) == std::end(kUnrepeated))
      line[line_member(name)] = value;
  ordered_json detail{{"request_id", record.value("request_id", ordered_json(""))}};
  if (row.user_agent) detail["user_agent"] = *row.user_agent;
  detail.update(record.value("detail", ordered_json::object()));
  line["detail_json"] = std::move(detail);
  line["actor_email"] = text_or_null(row.actor_email);
  line["ip"] = text_or_null(row.ip);
  line["record"] = row.record;
  std::string text = dump(line);
  text.pop_back();  // the seal closes it
  return text;
}

std::string next_seal(std::string_view seal_before, std::string_view text) {
  platform::Sha256 digest;
  digest.update(seal_before);
  digest.update(text);
  return platform::to_hex(platform::as_bytes_view(digest.finish()));
}

AuditFileWriter::AuditFileWriter(Sink sink, AuditFraming framing, const StatementSigner& signer)
    : sink_(std::move(sink)), framing_(framing), signer_(signer) {}

void AuditFileWriter::seal_text(std::string_view text) { seal_ = next_seal(seal_, text); }

void AuditFileWriter::begin(const AuditFileHeader& header) {
  const SignedStatement made = signer_.sign(codec::to_json_text(header));
  seal_text(made.statement);
  std::string line = codec::to_json_text(made);
  if (framing_ == AuditFraming::document) {
    line.insert(0, audit_framing::kHeaderBegin);
    line += audit_framing::kHeaderEnd;
  }
  sink_(line + "\n");
}

void AuditFileWriter::add(const AuditFileRow& row) {
  std::string line = row_text(row);
  seal_text(line);
  line.append(audit_framing::kSealBegin).append(seal_).append(audit_framing::kSealEnd);
  // A comma between rows; it ends the line before, so that each line is one row.
  if (framing_ == AuditFraming::document && rows_ > 0) sink_(",\n");
  if (framing_ == AuditFraming::ndjson) line += '\n';
  ++rows_;
  sink_(line);
}

void AuditFileWriter::end() {
  const SignedStatement made =
      signer_.sign(codec::to_json_text(AuditFileEnd{.rows = rows_, .seal = seal_}));
  std::string line = codec::to_json_text(made);
  if (framing_ == AuditFraming::document) {
    line.insert(0, audit_framing::kEndBegin);
    line += audit_framing::kEndEnd;
    if (rows_ > 0) line.insert(0, "\n");
  }
  sink_(line + "\n");
}

}  // namespace annolog::workers
