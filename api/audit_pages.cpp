#include "api/audit_pages.hpp"

#include <string>
#include <utility>

#include "api/ask.hpp"
#include "api/audit_texts.hpp"
#include "api/directory.hpp"

namespace annolog::api {
namespace {

constexpr Timestamp kAnyTime{};               // no text of the audit ends with time
constexpr std::size_t kUsualTextBytes = 640;  // of a row: only for reserving

// What happened to one thing, long ago in a project or of one kind there: such pages are many, and
// each is seldom seen twice.
bool is_seldom_seen(const AuditScope& scope, bool is_newest) {
  if (!scope.project_id) return scope.target_id.has_value();
  return !is_newest || scope != AuditScope{.project_id = scope.project_id};
}

}  // namespace

// The names' number is taken first: who is erased later makes it another.
awaitable<Result<RenderedPage>> audit_page(Call& call, Services& services,
                                           projections::Question<AuditRows> question,
                                           RenderedTexts* kept) {
  const auto names = services.directory.names_version();
  BOOST_OUTCOME_CO_TRY(const auto rows, co_await ask(call, services, std::move(question)));
  const auto render = [&](AuditTexts::Opening opening) -> std::optional<RenderedPage> {
    AuditTexts texts(services.directory, services.opened_origins, names);
    RenderedPage page(rows.items.size() * kUsualTextBytes);
    page.next = rows.next;
    std::string text;
    for (const auto& row : rows.items) {
      text.clear();
      if (!texts.append(row, opening, text)) return std::nullopt;
      page.add(text);
      if (kept != nullptr) kept->put({row.id}, names, std::nullopt, text, row.at);
    }
    return page;
  };
  if (auto page = render(AuditTexts::Opening::never)) co_return std::move(*page);
  // People are looked up anew: who is erased while this waits for a thread is not shown.
  co_return co_await read(services, [&] { return *render(AuditTexts::Opening::allowed); });
}

awaitable<Result<RenderedPage>> AuditPages::list(Call& call, const AuditScope& scope,
                                                 std::optional<projections::TimeCursor> after,
                                                 std::int64_t limit) {
  using projections::AuditQueries;
  const auto whole = [&] { return AuditQueries::page(scope, after, limit); };
  if (is_seldom_seen(scope, !after)) co_return co_await audit_page(call, services_, whole());
  BOOST_OUTCOME_CO_TRY(const auto keys,
                       co_await ask(call, services_, AuditQueries::page_keys(scope, after, limit)));
  const auto names = services_.directory.names_version();
  auto page = kept_page(
      rendered_, keys, names, kAnyTime, kUsualTextBytes,
      [](std::int64_t id) { return RenderedTexts::Key{id}; },
      [&](Timestamp at) -> std::optional<projections::TimeCursor> {
        if (!keys.next) return std::nullopt;
        return projections::TimeCursor{at, *keys.next};
      });
  if (page) co_return std::move(*page);
  co_return co_await audit_page(call, services_, whole(), &rendered_);
}

}  // namespace annolog::api
