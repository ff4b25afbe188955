// The JSON of a page of a list, {items, next_cursor}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/codec/json/json_writer.hpp"

namespace annolog::api {

inline constexpr std::string_view kPageBegin = "{\"items\":";  // the array of items follows

inline void end_page(std::string& json, const std::optional<std::string>& next_cursor) {
  json += ",\"next_cursor\":";
  codec::write_json(json, next_cursor);
  json += '}';
}

template <class T>
std::string page_json(const std::vector<T>& items, const std::optional<std::string>& next_cursor) {
  std::string json(kPageBegin);
  codec::write_json(json, items);
  end_page(json, next_cursor);
  return json;
}

}  // namespace annolog::api
