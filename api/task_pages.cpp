#include "api/task_pages.hpp"

#include <utility>

#include "api/ask.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api {

RenderedPage TaskPages::render(const projections::TaskFilter& filter,
                               std::optional<projections::TimeCursor> after, std::int64_t limit,
                               Timestamp now) {
  const auto names = directory_.names_version();
  auto tasks = queries_.list(filter, after, limit, now);
  RenderedPage page(tasks.items.size() * kUsualTextBytes);
  page.next = tasks.next;
  for (auto& task : tasks.items) {
    directory_.name_people(task);
    auto text = codec::to_json_text(task);
    page.add(text);
    const auto until = task.lock ? std::optional(task.lock->expires_at) : std::nullopt;
    rendered_.put({task.id.value, task.version}, names, until, std::move(text), task.updated_at);
  }
  return page;
}

awaitable<Result<RenderedPage>> TaskPages::list(Call& call, Services& services,
                                                const projections::TaskFilter& filter,
                                                std::optional<projections::TimeCursor> after,
                                                std::int64_t limit) {
  const auto now = call.now();
  BOOST_OUTCOME_CO_TRY(
      const auto keys,
      co_await ask(call, services, projections::TaskQueries::list_keys(filter, after, limit)));
  const auto names = directory_.names_version();
  auto page = kept_page(
      rendered_, keys, names, now, kUsualTextBytes,
      [](const auto& key) { return RenderedTexts::Key{key.id.value, key.version}; },
      [&](Timestamp) { return keys.next; });
  if (page) co_return std::move(*page);
  co_return co_await read(services, [&] { return render(filter, after, limit, now); });
}

}  // namespace annolog::api
