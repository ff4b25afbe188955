#include "workers/audit/audit_export.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "domain/codec/domain_json.hpp"
#include "domain/identity/sealed.hpp"

namespace annolog::workers {
namespace {

using nlohmann::json;

// Where the request came from, which is sealed. What can't be opened any more is left out.
json opened(const json& data, UserId person, const projections::Unseal& unseal) {
  const json origin = data.value("origin", json::object());
  if (!origin.contains("sealed")) return origin;
  const auto text = unseal(person, codec::from_json<Sealed>(origin.at("sealed")));
  return text ? json::parse(*text, nullptr, false) : json::object();
}

std::optional<std::string> text_in(const json& object, const char* name) {
  if (!object.is_object() || !object.contains(name) || !object.at(name).is_string())
    return std::nullopt;
  return object.at(name).get<std::string>();
}

}  // namespace

AuditFileRow readable(projections::AuditRecord record, const projections::Unseal& unseal) {
  const json data = json::parse(record.data);
  const auto actor = data.find("actor_id");
  const UserId person{actor != data.end() && actor->is_number_integer() ? actor->get<std::int64_t>()
                                                                        : 0};
  AuditFileRow row;
  row.id = record.id;
  if (unseal) {
    row.actor_email = std::move(record.actor_email);
    const json origin = opened(data, person, unseal);
    row.ip = text_in(origin, "ip");
    row.user_agent = text_in(origin, "user_agent");
  }
  row.record = std::move(record.data);
  return row;
}

AuditFileHeader header_of(projections::AuditSnapshot& snapshot, const AuditScope& scope,
                          const AuditLog& log, Timestamp now) {
  AuditFileHeader header;
  header.log_id = log.log_id;
  header.at = now;
  header.scope = scope;
  header.complete = scope.is_complete();
  header.audit = snapshot.heads(log.shard_count);
  return header;
}

bool write_audit_file(projections::AuditSnapshot& snapshot, const AuditFileHeader& header,
                      AuditFileWriter& writer, const projections::Unseal& unseal,
                      const std::function<bool(std::int64_t rows)>& go_on) {
  writer.begin(header);
  for (auto records = snapshot.next(); !records.empty(); records = snapshot.next()) {
    for (auto& record : records) writer.add(readable(std::move(record), unseal));
    if (!go_on(writer.rows())) return false;
  }
  writer.end();
  return true;
}

}  // namespace annolog::workers
