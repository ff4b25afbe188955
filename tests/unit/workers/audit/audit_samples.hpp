// Audit rows of two shards as the log chains them, and files made of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "platform/files.hpp"
#include "platform/keyring.hpp"
#include "workers/audit/audit_check.hpp"
#include "workers/audit/audit_file.hpp"

namespace annolog::workers::testing {

inline constexpr const char* kLogId = "0191f3c2-0000-4000-8000-000000000001";

// Numbers and digests as the shards would give them.
class AuditShards {
 public:
  // Rows are of the seconds of that minute.
  explicit AuditShards(std::string minute = "08:00") : minute_(std::move(minute)) {}

  AuditFileRow add(std::int64_t shard, std::string action = "task.reject") {
    AuditEnd& end = ends_[shard];
    if (end.number == 0) end = {shard, 0, 0, std::string(kNoDigest)};
    ++end.number;
    AuditFileRow row;
    row.id = (10 + end.number) * kAuditIdShards + shard;
    row.record =
        fmt::format(R"({{"number":{},"previous":"{}","at":"2026-11-24T{}:0{}.000Z","actor_id":7,)"
                    R"("request_id":"r-1","action":"{}","method":"POST",)"
                    R"("path":"/api/v1/tasks/9/review/reject","status":200,)"
                    R"("target_type":"task","target_id":9,"project_id":3,)"
                    R"("origin":{{"sealed":{{"key_id":"k","base64":"AA"}}}},"detail":{{}}}})",
                    end.number, end.digest, minute_, end.number, action);
    row.ip = "192.0.2.7";
    end.digest = hex_digest(row.record);
    return row;
  }
  std::vector<AuditEnd> ends() const {
    std::vector<AuditEnd> ends;
    for (const auto& [shard, end] : ends_) ends.push_back(end);
    return ends;
  }

 private:
  const std::string minute_;
  std::map<std::int64_t, AuditEnd> ends_;
};

struct AuditKeys {
  platform::TempDir dir;
  platform::Keyring keyring = platform::Keyring::open(dir.path());
  StatementSigner signer{keyring};

  PublicKeys known() const {
    PublicKeys keys;
    keys.add(signer.public_key());
    return keys;
  }
};

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = text.find('\n', from);
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

struct Made {
  AuditFraming framing = AuditFraming::ndjson;
  AuditScope scope = {};
  Timestamp at = {};
};

inline Lines file_of(const std::vector<AuditFileRow>& rows, const std::vector<AuditEnd>& ends,
                     const StatementSigner& signer, const Made& how = {}) {
  std::string text;
  AuditFileWriter writer([&](std::string_view bytes) { text += bytes; }, how.framing, signer);
  AuditFileHeader header;
  header.log_id = kLogId;
  header.at = how.at;
  header.scope = how.scope;
  header.complete = how.scope.is_complete();
  header.audit = ends;
  writer.begin(header);
  for (const auto& row : rows) writer.add(row);
  writer.end();
  return lines_of(text);
}

inline std::vector<AuditFault> faults_in(const Lines& lines, std::optional<PublicKeys> keys,
                                         std::vector<Checkpoint> checkpoints = {}) {
  std::vector<AuditFault> faults;
  AuditCheck check(std::move(keys), std::move(checkpoints),
                   [&](const AuditFault& fault) { faults.push_back(fault); });
  for (const std::string& line : lines) check.add_line(line);
  check.finish();
  return faults;
}

}  // namespace annolog::workers::testing
