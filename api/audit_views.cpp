#include "api/audit_views.hpp"

#include <algorithm>

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

void show_origin(const Services& services, const RequestOrigin& origin, AuditLogView& view) {
  view.ip = origin.ip;
  const auto plain = open_origin(services.personal_data, origin);
  if (!plain) return;
  view.ip = plain->ip;
  if (!plain->user_agent.empty()) view.detail_json.user_agent = plain->user_agent;
}

}  // namespace

std::vector<AuditLogView> audit_views(const Services& services,
                                      const std::vector<projections::AuditRow>& rows) {
  const auto emails = projections::UserQueries(services.reads).emails(actors_of(rows));
  std::vector<AuditLogView> views;
  views.reserve(rows.size());
  for (const auto& row : rows) {
    AuditLogView view = view_of(row);
    if (view.actor_id) {
      view.actor = services.directory.brief(*view.actor_id);
      if (const auto found = emails.find(*view.actor_id); found != emails.end())
        view.actor_email = found->second;
    }
    show_origin(services, row.request.origin, view);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace annolog::api
