#include "api/oidc/endpoint_url.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace annolog::api::oidc {
namespace {

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct TextFree {
  void operator()(char* text) const { curl_free(text); }
};

// Empty when the URL has no such part.
std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, TextFree> owner(text);
  return text;
}

// A name that begins with 127. may belong to anyone.
bool is_loopback(std::string_view host) {
  const bool is_ipv4 = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (is_ipv4 && host.starts_with("127."));
}

}  // namespace

UrlKind url_kind(const std::string& url) {
  // It also goes into a header of a redirect.
  if (!std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; })) {
    return UrlKind::refused;
  }
  const std::unique_ptr<CURLU, UrlCleanup> parsed(curl_url());
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return UrlKind::refused;
  }
  const bool has_user = !part_of(parsed.get(), CURLUPART_USER).empty() ||
                        !part_of(parsed.get(), CURLUPART_PASSWORD).empty();
  if (has_user || url.find('#') != std::string::npos) return UrlKind::refused;
  const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
  if (scheme == "https") return UrlKind::https;
  const bool plain_loopback =
      scheme == "http" && is_loopback(part_of(parsed.get(), CURLUPART_HOST));
  return plain_loopback ? UrlKind::plain_loopback : UrlKind::refused;
}

}  // namespace annolog::api::oidc
