#include "api/oidc/fetch.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace annolog::api::oidc {
namespace {

using Kind = ProviderError::Kind;

struct CurlCleanup {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
struct ListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Curl = std::unique_ptr<CURL, CurlCleanup>;
using HeaderList = std::unique_ptr<curl_slist, ListFree>;

struct Body {
  std::string text;
  bool too_large = false;
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& body = *static_cast<Body*>(user);
  const std::string_view piece(data, size * count);
  body.too_large = body.text.size() + piece.size() > kMaxAnswerBytes;
  if (body.too_large) return 0;
  body.text.append(piece);
  return piece.size();
}

Curl make_curl() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      throw std::runtime_error("libcurl cannot start");
    }
  });
  Curl curl(curl_easy_init());
  if (!curl) throw std::runtime_error("libcurl cannot make a call");
  return curl;
}

HeaderList header_list(const FetchRequest& request) {
  HeaderList list;
  const auto add = [&list](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  };
  add("Accept: application/json");
  if (!request.authorization.empty()) add("Authorization: " + request.authorization);
  return list;
}

// Not 0 ends the call. Asked for once a second at least.
int on_progress(void* stopping, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

void set_limits(CURL* curl, const FetchRequest& request) {
  if (request.stopping != nullptr) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, request.stopping);
  }
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kCallTimeoutMs);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "annolog/" ANNOLOG_VERSION);
  // What is meant for this machine, in clear, goes through nobody's proxy.
  if (request.url.starts_with("http:")) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  if (!request.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, request.ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
  }
}

ProviderError error(Kind kind, const FetchRequest& request, std::string_view reason) {
  std::string detail(request.what);
  detail += ": ";
  detail += reason;
  return {kind, std::move(detail)};
}

}  // namespace

ProviderResult<FetchAnswer> fetch(const FetchRequest& request) {
  const HeaderList headers = header_list(request);
  std::array<char, CURL_ERROR_SIZE> reason{};
  Body body;
  const Curl curl = make_curl();
  set_limits(curl.get(), request);
  curl_easy_setopt(curl.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &body);
  if (!request.form.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.form.size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, request.form.data());
  }

  const CURLcode code = curl_easy_perform(curl.get());
  if (body.too_large) {
    return error(Kind::not_understood, request, "the answer is larger than 256 KiB");
  }
  if (code != CURLE_OK) {
    const std::string_view text = reason.front() != '\0' ? reason.data() : curl_easy_strerror(code);
    return error(Kind::away, request, text);
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status >= 500 || status == 408 || status == 429) {
    return error(Kind::away, request, "status " + std::to_string(status));
  }
  return FetchAnswer{static_cast<int>(status), std::move(body.text)};
}

}  // namespace annolog::api::oidc
