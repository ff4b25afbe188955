#include "api/audit_pages.hpp"

#include <utility>

#include "api/audit_views.hpp"
#include "api/directory.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api {
namespace {

constexpr Timestamp kAnyTime{};  // no text of the audit ends with time

// What happened to one thing: such pages are many and each is seldom seen twice.
bool is_of_one_thing(const AuditScope& scope) { return scope.target_id || scope.project_id; }

}  // namespace

std::optional<projections::TimeCursor> AuditPages::render(
    const AuditScope& scope, std::optional<projections::TimeCursor> after, std::int64_t limit,
    const Keep& keep, RenderedPage& page) {
  auto rows = queries_.page(scope, after, limit);
  for (const auto& view : audit_views(services_, std::move(rows.items))) {
    auto text = codec::to_json_text(view);
    page.add(text);
    if (keep) keep(view.id, std::move(text));
  }
  return rows.next;
}

RenderedPage AuditPages::list(const AuditScope& scope, std::optional<projections::TimeCursor> after,
                              std::int64_t limit) {
  if (is_of_one_thing(scope)) {
    RenderedPage page(static_cast<std::size_t>(limit) * kUsualTextBytes);
    page.next = render(scope, after, limit, {}, page);
    return page;
  }
  // First of all: who is erased later makes it another.
  const auto names = services_.directory.names_version();
  const auto keep = [&](std::int64_t id, std::string text) {
    rendered_.put({id}, names, std::nullopt, std::move(text));
  };
  const auto keys = queries_.page_keys(scope, after, limit);
  return rendered_page(
      rendered_, keys, names, kAnyTime, kUsualTextBytes,
      [](const projections::TimeCursor& place) { return RenderedTexts::Key{place.id}; },
      [&](RenderedPage& page) { return render(scope, after, limit, keep, page); });
}

}  // namespace annolog::api
