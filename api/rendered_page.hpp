// A page of a list as the JSON of its answer, {items, next_cursor}, from texts of the last time
// where all of them are here (rendered_texts.hpp), else rendered anew as a whole, so that no page
// mixes two moments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/page_json.hpp"
#include "api/rendered_texts.hpp"
#include "projections/queries/page.hpp"

namespace annolog::api {

class RenderedPage {
 public:
  explicit RenderedPage(std::size_t bytes) {
    json_.reserve(bytes);
    json_ += kPageBegin;
    json_ += '[';
  }

  void add(const std::string& item) {
    if (json_.back() != '[') json_ += ',';
    json_ += item;
  }
  // All of them, or none; the answer is where the last stands in the list.
  std::optional<Timestamp> add_all(RenderedTexts& texts, std::span<const RenderedTexts::Key> keys,
                                   std::uint64_t names, Timestamp now) {
    return texts.append_all(keys, names, now, json_);
  }
  // Once, with the cursor of `next`.
  std::string json(const std::optional<std::string>& next_cursor) && {
    json_ += ']';
    end_page(json_, next_cursor);
    return std::move(json_);
  }

  std::optional<projections::TimeCursor> next = {};

 private:
  std::string json_;
};

// `keys`: which rows the page holds; `key_of` names the text of each, `next_of` where the next page
// starts, told where the last row stands. None: a text is not here. `usual_bytes` of one: only for
// reserving.
template <class Keys, class KeyOf, class NextOf>
std::optional<RenderedPage> kept_page(RenderedTexts& texts, const Keys& keys, std::uint64_t names,
                                      Timestamp now, std::size_t usual_bytes, const KeyOf& key_of,
                                      const NextOf& next_of) {
  constexpr std::size_t kFrameBytes = 128;
  RenderedPage page(keys.items.size() * usual_bytes + kFrameBytes);
  std::vector<RenderedTexts::Key> wanted;
  wanted.reserve(keys.items.size());
  for (const auto& key : keys.items) wanted.push_back(key_of(key));
  const auto last = page.add_all(texts, wanted, names, now);
  if (!last) return std::nullopt;
  page.next = next_of(*last);
  return page;
}

}  // namespace annolog::api
