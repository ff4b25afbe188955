#include "api/audit_views.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace annolog::api {
namespace {

// Takes the row's texts with it.
AuditLogView view_of(projections::AuditRow& row) {
  RequestRecorded& request = row.request;
  AuditLogView view;
  view.id = row.id;
  view.actor_id = request.actor_id;
  view.actor_role = request.actor_role;
  view.proof = request.proof;
  view.action = std::move(request.action);
  view.target_type = std::move(request.target_type);
  view.target_id = request.target_id;
  view.project_id = request.project_id;
  view.method = std::move(request.method);
  view.path = std::move(request.path);
  view.status_code = request.status;
  view.detail_json = {.request_id = std::move(request.request_id),
                      .reason = std::move(request.detail.reason),
                      .batch_ids = std::move(request.detail.batch_ids),
                      .display_ids = std::move(request.detail.display_ids),
                      .format = std::move(request.detail.format),
                      .display_id = std::move(request.detail.display_id),
                      .code = std::move(request.detail.code),
                      .replayed = request.detail.replayed};
  view.created_at = request.at;
  return view;
}

// Who the directory knows, asked for once for a page.
class Actors {
 public:
  explicit Actors(const Directory& directory) : directory_(directory) {}

  // Null: erased, or never was.
  const KnownUser* find(UserId id) {
    const auto [at, is_new] = found_.try_emplace(id);
    if (is_new) at->second = directory_.user(id);
    const auto& user = at->second;
    return user && !user->brief.username.empty() ? &*user : nullptr;
  }

 private:
  const Directory& directory_;
  std::map<UserId, std::optional<KnownUser>> found_;
};

void show_origin(const RequestOrigin& origin, OpenedOrigins& origins, std::uint64_t names,
                 AuditLogView& view) {
  view.ip = origin.ip;
  const auto plain = origins.open(origin, names);
  if (!plain) return;
  view.ip = plain->ip;
  if (!plain->user_agent.empty()) view.detail_json.user_agent = plain->user_agent;
}

// The read models and the keys may still have what the directory has already forgotten: what is
// shown now is kept (audit_pages.hpp).
bool show_actor(Actors& actors, AuditLogView& view) {
  if (!view.actor_id) return true;
  const KnownUser* user = actors.find(*view.actor_id);
  view.actor = user != nullptr ? user->brief : UserBrief{*view.actor_id, {}, {}};
  if (user != nullptr) view.actor_email = user->email;
  return user != nullptr;
}

}  // namespace

std::vector<AuditLogView> audit_views(const Directory& directory, OpenedOrigins& origins,
                                      std::uint64_t names,
                                      std::vector<projections::AuditRow> rows) {
  Actors actors(directory);
  std::vector<AuditLogView> views;
  views.reserve(rows.size());
  for (auto& row : rows) {
    AuditLogView& view = views.emplace_back(view_of(row));
    if (show_actor(actors, view)) show_origin(row.request.origin, origins, names, view);
  }
  return views;
}

}  // namespace annolog::api
