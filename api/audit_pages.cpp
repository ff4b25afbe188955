#include "api/audit_pages.hpp"

#include <utility>
#include <vector>

#include "api/audit_views.hpp"
#include "api/directory.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api {
namespace {

constexpr Timestamp kAnyTime{};  // no text of the audit ends with time

}  // namespace

std::optional<projections::TimeCursor> AuditPages::render(
    const AuditScope& scope, std::optional<projections::TimeCursor> after, std::int64_t limit,
    std::uint64_t names, std::string& out) {
  const auto page = queries_.page(scope, after, limit);
  bool first = true;
  for (const auto& view : audit_views(services_, page.items)) {
    auto text = codec::to_json_text(view);
    if (!std::exchange(first, false)) out += ',';
    out += text;
    rendered_.put({view.id}, names, std::nullopt, std::move(text));
  }
  return page.next;
}

// The names' number is taken first: who is erased later makes it another.
AuditPages::Text AuditPages::list(const AuditScope& scope,
                                  std::optional<projections::TimeCursor> after,
                                  std::int64_t limit) {
  Text text{"[", std::nullopt};
  const auto names = services_.directory.names_version();
  const auto keys = queries_.page_keys(scope, after, limit);
  std::vector<RenderedTexts::Key> wanted;
  wanted.reserve(keys.items.size());
  for (const auto& key : keys.items) wanted.push_back({key.id});
  text.items.reserve(wanted.size() * kUsualTextBytes + 64);
  text.next = keys.next;
  if (!rendered_.append_all(wanted, names, kAnyTime, text.items))
    text.next = render(scope, after, limit, names, text.items);
  text.items += ']';
  return text;
}

}  // namespace annolog::api
