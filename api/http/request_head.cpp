#include "api/http/request_head.hpp"

#include "api/http/text.hpp"

namespace annolog::http {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::other: break;
  }
  return "OTHER";
}

Method method_from(std::string_view text) {
  for (const Method method : {Method::get, Method::head, Method::post, Method::put, Method::patch,
                              Method::del, Method::options}) {
    if (text == to_string(method)) return method;  // methods are case-sensitive
  }
  return Method::other;
}

std::optional<std::string_view> RequestHead::header(std::string_view name) const {
  for (const HeaderView& field : headers) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

std::string RequestHead::joined(std::string_view name) const {
  std::string all;
  for (const HeaderView& field : headers) {
    if (field.name != name) continue;
    if (!all.empty()) all += ", ";
    all += field.value;
  }
  return all;
}

std::optional<std::string_view> RequestHead::cookie(std::string_view name) const {
  for (const HeaderView& field : headers) {
    if (field.name != "cookie") continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::string_view pair = trim(take_until(rest, ';'));
      if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
        return pair.substr(name.size() + 1);
      }
    }
  }
  return std::nullopt;
}

bool RequestHead::has_token(std::string_view name, std::string_view word) const {
  for (const HeaderView& field : headers) {
    if (field.name != name) continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      if (equals_ignoring_case(trim(take_until(rest, ',')), word)) return true;
    }
  }
  return false;
}

}  // namespace annolog::http
