#include "api/task_pages.hpp"

#include <utility>

#include "domain/codec/domain_json.hpp"

namespace annolog::api {

std::optional<projections::TimeCursor> TaskPages::render(
    const projections::TaskFilter& filter, std::optional<projections::TimeCursor> after,
    std::int64_t limit, Timestamp now, RenderedPage& page) {
  const auto names = directory_.names_version();
  auto tasks = queries_.list(filter, after, limit, now);
  for (auto& task : tasks.items) {
    directory_.name_people(task);
    auto text = codec::to_json_text(task);
    page.add(text);
    const auto until = task.lock ? std::optional(task.lock->expires_at) : std::nullopt;
    rendered_.put({task.id.value, task.version}, names, until, std::move(text));
  }
  return tasks.next;
}

RenderedPage TaskPages::list(const projections::TaskFilter& filter,
                             std::optional<projections::TimeCursor> after, std::int64_t limit,
                             Timestamp now) {
  const auto names = directory_.names_version();
  const auto keys = queries_.list_keys(filter, after, limit);
  return rendered_page(
      rendered_, keys, names, now, kUsualTextBytes,
      [](const projections::TaskKey& key) { return RenderedTexts::Key{key.id.value, key.version}; },
      [&](RenderedPage& page) { return render(filter, after, limit, now, page); });
}

}  // namespace annolog::api
