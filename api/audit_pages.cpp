#include "api/audit_pages.hpp"

#include <utility>

#include "api/audit_views.hpp"
#include "api/directory.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api {
namespace {

constexpr Timestamp kAnyTime{};  // no text of the audit ends with time

}  // namespace

std::optional<projections::TimeCursor> AuditPages::render(
    const AuditScope& scope, std::optional<projections::TimeCursor> after, std::int64_t limit,
    std::uint64_t names, RenderedPage& page) {
  const auto rows = queries_.page(scope, after, limit);
  for (const auto& view : audit_views(services_, rows.items)) {
    auto text = codec::to_json_text(view);
    page.add(text);
    rendered_.put({view.id}, names, std::nullopt, std::move(text));
  }
  return rows.next;
}

// The names' number is taken first: who is erased later makes it another.
RenderedPage AuditPages::list(const AuditScope& scope, std::optional<projections::TimeCursor> after,
                              std::int64_t limit) {
  const auto names = services_.directory.names_version();
  const auto keys = queries_.page_keys(scope, after, limit);
  return rendered_page(
      rendered_, keys, names, kAnyTime, kUsualTextBytes,
      [](const projections::TimeCursor& place) { return RenderedTexts::Key{place.id}; },
      [&](RenderedPage& page) { return render(scope, after, limit, names, page); });
}

}  // namespace annolog::api
