#include "workers/webhooks/webhook_url.hpp"

#include <curl/curl.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "platform/public_address.hpp"

namespace annolog::workers {
namespace {

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct TextFree {
  void operator()(char* text) const { curl_free(text); }
};
struct AddressesFree {
  void operator()(addrinfo* found) const { ::freeaddrinfo(found); }
};
using Url = std::unique_ptr<CURLU, UrlCleanup>;

// Empty when the URL has no such part.
std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, TextFree> owner(text);
  return text;
}

DomainError refused(std::string message, std::string type) {
  return validation_error({{{"url"}, std::move(message), std::move(type)}});
}

// As the library that will call it reads it.
Result<Url> parse(const std::string& url) {
  const bool plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  Url parsed(curl_url());
  const bool is_url =
      plain && parsed && curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  const std::string scheme = is_url ? part_of(parsed.get(), CURLUPART_SCHEME) : "";
  if (scheme != "http" && scheme != "https")
    return refused("Must be a URL that begins with http:// or https://.", "url");
  if (!part_of(parsed.get(), CURLUPART_USER).empty() ||
      !part_of(parsed.get(), CURLUPART_PASSWORD).empty())
    return refused("Must not hold a user name or password.", "url_credentials");
  if (url.find('#') != std::string::npos)
    return refused("Must not have a fragment.", "url_fragment");
  return parsed;
}

std::string without_brackets(std::string host) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return host;
}

// Also what only the resolver takes for an address (127.1), and names of this machine.
bool leads_inside(const std::string& host) {
  if (const auto literal = platform::is_public_address(host)) return !*literal;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &wanted, &first) != 0) return false;
  const std::unique_ptr<addrinfo, AddressesFree> found(first);
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    if (one->ai_addr != nullptr && !platform::is_public_address(*one->ai_addr)) return true;
  }
  return false;
}

}  // namespace

Result<void> check_webhook_url(const std::string& url, PrivateAddresses private_ones) {
  BOOST_OUTCOME_TRY(const auto parsed, parse(url));
  if (private_ones == PrivateAddresses::allowed) return success();
  const std::string host = without_brackets(part_of(parsed.get(), CURLUPART_HOST));
  if (leads_inside(host)) {
    return refused(
        "The host is, or resolves to, a loopback, private, link-local or otherwise reserved "
        "address; webhook_allow_private allows them.",
        "private_address");
  }
  return success();
}

}  // namespace annolog::workers
