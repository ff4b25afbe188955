#include "api/rendered_texts.hpp"

#include <utility>

namespace annolog::api {

void RenderedTexts::keep(std::int64_t id, Entry entry, Entries& dropped) {
  if (young_bytes_ + entry.text.size() > half_bytes_max_) {
    dropped = std::exchange(old_, std::exchange(young_, {}));
    young_bytes_ = 0;
  }
  Entry& kept = young_[id];
  young_bytes_ -= kept.text.size();
  kept = std::move(entry);
  young_bytes_ += kept.text.size();
}

const RenderedTexts::Entry* RenderedTexts::find(std::int64_t id, Entries& dropped) {
  if (const auto young = young_.find(id); young != young_.end()) return &young->second;
  const auto old = old_.find(id);
  if (old == old_.end()) return nullptr;
  Entry entry = std::move(old->second);
  old_.erase(old);
  keep(id, std::move(entry), dropped);
  return &young_.find(id)->second;
}

std::optional<Timestamp> RenderedTexts::append_all(std::span<const Key> keys, std::uint64_t names,
                                                   Timestamp now, std::string& out) {
  const std::size_t before = out.size();
  Timestamp place;
  Entries dropped;
  const std::lock_guard guard(mutex_);
  for (const Key& key : keys) {
    const Entry* entry = find(key.id, dropped);
    if (entry == nullptr || entry->version != key.version || entry->names != names ||
        (entry->until && *entry->until <= now)) {
      out.resize(before);
      return std::nullopt;
    }
    if (out.size() != before) out += ',';
    out += entry->text;
    place = entry->place;
  }
  return place;
}

void RenderedTexts::put(Key key, std::uint64_t names, std::optional<Timestamp> until,
                        std::string text, Timestamp place) {
  Entries dropped;
  const std::lock_guard guard(mutex_);
  keep(key.id, {key.version, names, until, std::move(text), place}, dropped);
}

}  // namespace annolog::api
