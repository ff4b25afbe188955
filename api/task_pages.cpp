#include "api/task_pages.hpp"

#include <utility>
#include <vector>

#include "domain/codec/domain_json.hpp"

namespace annolog::api {

std::optional<projections::TimeCursor> TaskPages::render(
    const projections::TaskFilter& filter, std::optional<projections::TimeCursor> after,
    std::int64_t limit, Timestamp now, std::string& out) {
  const auto names = directory_.names_version();
  auto page = queries_.list(filter, after, limit, now);
  bool first = true;
  for (auto& task : page.items) {
    directory_.name_people(task);
    auto text = codec::to_json_text(task);
    if (!std::exchange(first, false)) out += ',';
    out += text;
    const auto until = task.lock ? std::optional(task.lock->expires_at) : std::nullopt;
    rendered_.put({task.id.value, task.version}, names, until, std::move(text));
  }
  return page.next;
}

TaskPages::Text TaskPages::list(const projections::TaskFilter& filter,
                                std::optional<projections::TimeCursor> after, std::int64_t limit,
                                Timestamp now) {
  Text text{"[", std::nullopt};
  const auto names = directory_.names_version();
  const auto keys = queries_.list_keys(filter, after, limit);
  text.items.reserve(keys.items.size() * kUsualTextBytes + 64);
  text.next = keys.next;
  std::vector<RenderedTexts::Key> wanted;
  wanted.reserve(keys.items.size());
  for (const auto& key : keys.items) wanted.push_back({key.id.value, key.version});
  if (!rendered_.append_all(wanted, names, now, text.items)) {
    text.next = render(filter, after, limit, now, text.items);
  }
  text.items += ']';
  return text;
}

}  // namespace annolog::api
