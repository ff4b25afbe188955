#include "workers/webhooks/webhook_url.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "platform/public_address.hpp"
#include "workers/webhooks/curl_handle.hpp"

namespace annolog::workers {
namespace {

struct UrlCleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct TextFree {
  void operator()(char* text) const { curl_free(text); }
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

// "http:///path", which the library takes for a host called path.
bool lacks_host(const std::string& url) {
  const std::size_t slashes = url.find("//");
  return slashes != std::string::npos && url.substr(slashes + 2).starts_with('/');
}

// As the library that will call it reads it.
Result<Url> parse(const std::string& url) {
  if (!std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; })) {
    return refused(
        "Must be ASCII without spaces: other hosts in Punycode, other characters "
        "percent-encoded.",
        "url_characters");
  }
  Url parsed(curl_url());
  const CURLUcode read =
      parsed ? curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) : CURLUE_OUT_OF_MEMORY;
  if (read == CURLUE_BAD_PORT_NUMBER || part_of(parsed.get(), CURLUPART_PORT) == "0")
    return refused("The port must be 1 to 65535.", "url_port");
  const std::string scheme = read == CURLUE_OK ? part_of(parsed.get(), CURLUPART_SCHEME) : "";
  if ((scheme != "http" && scheme != "https") || lacks_host(url))
    return refused("Must be a URL that begins with http:// or https://, then a host.", "url");
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

curl_socket_t note_private(void* user, curlsocktype, curl_sockaddr* address) {
  auto& met_private = *static_cast<bool*>(user);
  if (!platform::is_public_address(address->addr)) met_private = true;
  return CURL_SOCKET_BAD;  // then the next address is tried
}

// Also what only the resolver takes for an address (127.1), and names of this machine. libcurl is
// asked to connect and shows each address that it would connect to: its lookup has a deadline,
// which getaddrinfo(3) has not. A lookup that takes longer ends in a thread of libcurl's.
bool leads_inside(const std::string& url, const std::string& host) {
  if (const auto literal = platform::is_public_address(host)) return !*literal;
  const CurlHandle curl = new_curl_handle();
  bool met_private = false;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(kLongestLookup.count()));
  curl_easy_setopt(curl.get(), CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_OPENSOCKETFUNCTION, &note_private);
  curl_easy_setopt(curl.get(), CURLOPT_OPENSOCKETDATA, &met_private);
  curl_easy_perform(curl.get());
  return met_private;
}

}  // namespace

Result<void> check_webhook_url(const std::string& url, PrivateAddresses private_ones) {
  BOOST_OUTCOME_TRY(const auto parsed, parse(url));
  if (private_ones == PrivateAddresses::allowed) return success();
  const std::string host = without_brackets(part_of(parsed.get(), CURLUPART_HOST));
  if (leads_inside(url, host)) {
    return refused(
        "The host is, or resolves to, a loopback, private, link-local or otherwise reserved "
        "address; webhook_allow_private allows them.",
        "private_address");
  }
  return success();
}

}  // namespace annolog::workers
