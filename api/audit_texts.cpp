#include "api/audit_texts.hpp"

#include <string_view>
#include <utility>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/json/raw_members.hpp"
#include "domain/support/number.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kNull = "null";

// The record's text as today's program would have written it.
std::string_view current_text(const projections::AuditRow& row, std::string& buffer) {
  if (row.schema_version == RequestRecorded::kVersion) return row.data;
  buffer = codec::to_json_text(projections::request_of(row));
  return buffer;
}

void append_all(std::string& out, std::initializer_list<std::string_view> parts) {
  for (const auto part : parts) out += part;
}

// {"request_id": …, "user_agent": …, and what the record's detail has}
void append_detail(std::string& out, std::string_view request_id, const PlainOrigin* origin,
                   std::string_view detail) {
  append_all(out, {R"({"request_id":)", request_id});
  if (origin != nullptr && !origin->user_agent.empty()) {
    out += R"(,"user_agent":)";
    codec::write_json_string(out, origin->user_agent);
  }
  if (detail.size() > 2) {
    out += ',';
    out += detail.substr(1);
  } else {
    out += '}';
  }
}

}  // namespace

// Null: erased, or never was.
const KnownUser* AuditTexts::find(UserId id) {
  const auto [at, is_new] = known_.try_emplace(id);
  if (is_new) at->second = directory_.user(id);
  const auto& user = at->second;
  return user && !user->brief.username.empty() ? &*user : nullptr;
}

// The read models and the keys may still have what the directory has already forgotten: the origin
// of somebody who is not known is not looked at, as what is shown now is kept (rendered_texts.hpp).
bool AuditTexts::append(const projections::AuditRow& row, Opening opening, std::string& out) {
  std::string upcast;
  codec::RawMembers record(current_text(row, upcast));
  const auto at = record.at("at");
  const auto actor_id = record.find("actor_id").value_or(kNull);
  const auto actor_role = record.find("actor_role").value_or(kNull);
  const auto request_id = record.at("request_id");
  const auto action = record.at("action");
  const auto method = record.at("method");
  const auto path = record.at("path");
  const auto status = record.at("status");
  const auto proof = record.at("proof");
  const auto target_type = record.at("target_type");
  const auto target_id = record.find("target_id").value_or(kNull);
  const auto project_id = record.find("project_id").value_or(kNull);
  const auto came_from = record.at("origin");
  const auto detail = record.at("detail");

  const auto actor = number_from<std::int64_t>(actor_id);  // of null: none
  const KnownUser* user = actor ? find(UserId{*actor}) : nullptr;
  OpenedOrigins::Opened origin;
  if (!actor || user != nullptr) {
    auto opened = opening == Opening::allowed ? std::optional(origins_.open(came_from, names_))
                                              : origins_.opened(came_from, names_);
    if (!opened) return false;
    origin = std::move(*opened);
  }

  out += R"({"id":)";
  codec::write_json(out, row.id);
  append_all(out, {R"(,"actor_id":)", actor_id, R"(,"actor":)"});
  if (actor) {
    codec::write_json(out, user != nullptr ? user->brief : UserBrief{UserId{*actor}, {}, {}});
  } else {
    out += kNull;
  }
  out += R"(,"actor_email":)";
  codec::write_json(out, user != nullptr ? user->email : std::nullopt);
  append_all(out, {R"(,"actor_role":)", actor_role, R"(,"proof":)", proof, R"(,"action":)", action,
                   R"(,"target_type":)", target_type, R"(,"target_id":)", target_id,
                   R"(,"project_id":)", project_id, R"(,"method":)", method, R"(,"path":)", path,
                   R"(,"status_code":)", status, R"(,"ip":)"});
  if (origin) {
    codec::write_json_string(out, origin->ip);
  } else {
    out += kNull;
  }
  out += R"(,"detail_json":)";
  append_detail(out, request_id, origin.get(), detail);
  append_all(out, {R"(,"created_at":)", at, "}"});
  return true;
}

}  // namespace annolog::api
