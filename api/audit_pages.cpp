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
    std::uint64_t names, Keep keep, RenderedPage& page) {
  auto rows = queries_.page(scope, after, limit);
  const auto views =
      audit_views(services_.directory, services_.opened_origins, names, std::move(rows.items));
  for (const auto& view : views) {
    auto text = codec::to_json_text(view);
    page.add(text);
    if (keep == Keep::yes) rendered_.put({view.id}, names, std::nullopt, std::move(text));
  }
  return rows.next;
}

// The names' number is taken first: who is erased later makes it another.
RenderedPage AuditPages::list(const AuditScope& scope, std::optional<projections::TimeCursor> after,
                              std::int64_t limit) {
  const auto names = services_.directory.names_version();
  if (is_of_one_thing(scope)) {
    RenderedPage page(static_cast<std::size_t>(limit) * kUsualTextBytes);
    page.next = render(scope, after, limit, names, Keep::no, page);
    return page;
  }
  const auto keys = queries_.page_keys(scope, after, limit);
  return rendered_page(
      rendered_, keys, names, kAnyTime, kUsualTextBytes,
      [](const projections::TimeCursor& place) { return RenderedTexts::Key{place.id}; },
      [&](RenderedPage& page) { return render(scope, after, limit, names, Keep::yes, page); });
}

}  // namespace annolog::api
