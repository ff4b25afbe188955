// A page of a list as JSON text, from texts of the last time where all of them are here
// (rendered_texts.hpp), else rendered anew as a whole, so that no page mixes two moments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/rendered_texts.hpp"
#include "projections/queries/page.hpp"

namespace annolog::api {

struct RenderedPage {
  std::string items = "[";  // a JSON array, once the page is made
  std::optional<projections::TimeCursor> next = {};

  void add(const std::string& text) {
    if (items.size() > 1) items += ',';
    items += text;
  }
};

// `keys`: which rows the page holds; `key_of` names the text of each. `render` adds all to the page
// that it is given and says where the next one begins. `usual_bytes` of a text: only for reserving.
template <class Keys, class KeyOf, class Render>
RenderedPage rendered_page(RenderedTexts& texts, const Keys& keys, std::uint64_t names,
                           Timestamp now, std::size_t usual_bytes, const KeyOf& key_of,
                           const Render& render) {
  RenderedPage page;
  std::vector<RenderedTexts::Key> wanted;
  wanted.reserve(keys.items.size());
  for (const auto& key : keys.items) wanted.push_back(key_of(key));
  page.items.reserve(wanted.size() * usual_bytes + 64);
  page.next = keys.next;
  if (!texts.append_all(wanted, names, now, page.items)) page.next = render(page);
  page.items += ']';
  return page;
}

}  // namespace annolog::api
