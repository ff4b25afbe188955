#include "api/audit_views.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "api/audit_origins.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {
namespace {

AuditLogView view_of(const projections::AuditRow& row) {
  const RequestRecorded& request = row.request;
  AuditLogView view;
  view.id = row.id;
  view.actor_id = request.actor_id;
  view.actor_role = request.actor_role;
  view.proof = request.proof;
  view.action = request.action;
  view.target_type = request.target_type;
  view.target_id = request.target_id;
  view.project_id = request.project_id;
  view.method = request.method;
  view.path = request.path;
  view.status_code = request.status;
  view.detail_json = {.request_id = request.request_id,
                      .reason = request.detail.reason,
                      .batch_ids = request.detail.batch_ids,
                      .format = request.detail.format,
                      .display_id = request.detail.display_id,
                      .code = request.detail.code,
                      .replayed = request.detail.replayed};
  view.created_at = request.at;
  return view;
}

std::vector<UserId> actors_of(const std::vector<projections::AuditRow>& rows) {
  std::vector<UserId> actors;
  for (const auto& row : rows)
    if (row.request.actor_id) actors.push_back(*row.request.actor_id);
  std::ranges::sort(actors);
  const auto doubles = std::ranges::unique(actors);
  actors.erase(doubles.begin(), doubles.end());
  return actors;
}

// The read models and the keys may still have what the directory has already forgotten: what is
// shown now is kept (audit_pages.hpp).
bool is_erased(const AuditLogView& view) { return view.actor && view.actor->username.empty(); }

// Requests of a person from one place share what is sealed: it is opened once for a page.
class OpenedOrigins {
 public:
  explicit OpenedOrigins(const PersonalData& personal_data) : personal_data_(personal_data) {}

  const std::optional<PlainOrigin>& open(const RequestOrigin& origin) {
    const auto [at, is_new] = opened_.try_emplace(origin.sealed ? origin.sealed->base64 : "");
    if (is_new) at->second = open_origin(personal_data_, origin);
    return at->second;
  }

 private:
  const PersonalData& personal_data_;
  std::map<std::string, std::optional<PlainOrigin>> opened_;
};

void show_origin(OpenedOrigins& origins, const RequestOrigin& origin, AuditLogView& view) {
  view.ip = origin.ip;
  const auto& plain = origins.open(origin);
  if (!plain) return;
  view.ip = plain->ip;
  if (!plain->user_agent.empty()) view.detail_json.user_agent = plain->user_agent;
}

}  // namespace

std::vector<AuditLogView> audit_views(const Services& services,
                                      const std::vector<projections::AuditRow>& rows) {
  const auto emails = projections::UserQueries(services.reads).emails(actors_of(rows));
  OpenedOrigins origins(services.personal_data);
  std::vector<AuditLogView> views;
  views.reserve(rows.size());
  for (const auto& row : rows) {
    AuditLogView view = view_of(row);
    if (view.actor_id) view.actor = services.directory.brief(*view.actor_id);
    if (!is_erased(view)) {
      if (view.actor_id)
        if (const auto found = emails.find(*view.actor_id); found != emails.end())
          view.actor_email = found->second;
      show_origin(origins, row.request.origin, view);
    }
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace annolog::api
