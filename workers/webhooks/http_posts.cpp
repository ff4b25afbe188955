#include "workers/webhooks/http_posts.hpp"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "platform/json_text.hpp"
#include "platform/public_address.hpp"
#include "workers/webhooks/curl_handle.hpp"

namespace annolog::workers {
namespace {

struct MultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Multi = std::unique_ptr<CURLM, MultiCleanup>;
using HeaderList = std::unique_ptr<curl_slist, ListFree>;

constexpr long kMaxConnects = 64;  // kept open between posts
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

HeaderList header_list(const std::vector<std::string>& lines) {
  HeaderList list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

// A receiver's text goes into a log that people read and a database that takes no NUL.
std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = platform::utf8_character_bytes(bytes);
    const auto first = static_cast<unsigned char>(bytes.front());
    const bool is_control = first < 0x20 && first != '\n' && first != '\t';
    text += length == 0 || is_control ? kReplacement : bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

struct Transfer {
  std::uint64_t token = 0;
  HttpPost post;
  const HttpPostLimits* limits = nullptr;
  HeaderList headers;
  CurlHandle curl;
  std::array<char, CURL_ERROR_SIZE> reason{};
  std::string kept;
  std::size_t read_bytes = 0;
  bool is_cut = false;       // the answer is longer than is read
  bool met_private = false;  // an address was refused
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view piece(data, size * count);
  const std::size_t room = transfer.limits->max_kept_bytes - transfer.kept.size();
  transfer.kept.append(piece.substr(0, room));
  transfer.read_bytes += piece.size();
  transfer.is_cut = transfer.read_bytes > transfer.limits->max_read_bytes;
  return transfer.is_cut ? 0 : piece.size();
}

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  const bool may = transfer.limits->private_ones == PrivateAddresses::allowed ||
                   platform::is_public_address(address->addr);
  if (!may) {
    transfer.met_private = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void set_limits(CURL* curl, const HttpPostLimits& limits) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.timeout_ms));
  // The time counts for a name server that is silent, too: whoever asks it is not waited for.
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "annolog/" ANNOLOG_VERSION);
  if (!limits.ca_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, limits.ca_file.c_str());
    curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
  }
}

std::string why_no_answer(const Transfer& transfer, CURLcode code) {
  if (transfer.met_private) return "the host leads to a private or local address";
  if (transfer.reason.front() != '\0') return printable(transfer.reason.data());
  return curl_easy_strerror(code);
}

HttpPostEnd end_of(const Transfer& transfer, CURLcode code) {
  HttpPostEnd end;
  end.token = transfer.token;
  end.response = printable(transfer.kept);
  curl_off_t took_us = 0;
  curl_easy_getinfo(transfer.curl.get(), CURLINFO_TOTAL_TIME_T, &took_us);
  end.duration_ms = took_us / 1000;
  long status = 0;
  curl_easy_getinfo(transfer.curl.get(), CURLINFO_RESPONSE_CODE, &status);
  const bool answered = status != 0 && (code == CURLE_OK || transfer.is_cut);
  if (!answered) {
    end.error = why_no_answer(transfer, code);
    return end;
  }
  end.status_code = status;
  curl_off_t retry_after_s = 0;
  curl_easy_getinfo(transfer.curl.get(), CURLINFO_RETRY_AFTER, &retry_after_s);
  if (retry_after_s > 0) end.retry_after_s = retry_after_s;
  return end;
}

}  // namespace

struct HttpPosts::Impl {
  explicit Impl(HttpPostLimits l) : limits(std::move(l)) {
    start_curl();
    multi.reset(curl_multi_init());
    if (!multi) throw std::runtime_error("libcurl cannot start");
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kMaxConnects);
  }
  ~Impl() {
    for (auto& [handle, transfer] : transfers) curl_multi_remove_handle(multi.get(), handle);
  }

  const HttpPostLimits limits;
  Multi multi;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> transfers;
};

HttpPosts::HttpPosts(HttpPostLimits limits) : impl_(std::make_unique<Impl>(std::move(limits))) {}
HttpPosts::~HttpPosts() = default;

std::size_t HttpPosts::under_way() const { return impl_->transfers.size(); }

void HttpPosts::start(std::uint64_t token, HttpPost post) {
  auto transfer = std::make_unique<Transfer>();
  transfer->token = token;
  transfer->post = std::move(post);
  transfer->limits = &impl_->limits;
  transfer->curl = new_curl_handle();
  // Without the pause that a large body would be sent after.
  transfer->post.headers.emplace_back("Expect:");
  transfer->headers = header_list(transfer->post.headers);
  CURL* const curl = transfer->curl.get();
  set_limits(curl, impl_->limits);
  const std::string& body = transfer->post.body;
  curl_easy_setopt(curl, CURLOPT_URL, transfer->post.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->headers.get());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->reason.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer.get());
  if (curl_multi_add_handle(impl_->multi.get(), curl) != CURLM_OK)
    throw std::runtime_error("libcurl cannot make a call");
  impl_->transfers.emplace(curl, std::move(transfer));
}

std::vector<HttpPostEnd> HttpPosts::wait(std::chrono::milliseconds longest) {
  CURLM* const multi = impl_->multi.get();
  int running = 0;
  curl_multi_perform(multi, &running);
  if (static_cast<std::size_t>(running) == impl_->transfers.size()) {
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(longest.count()), nullptr);
    curl_multi_perform(multi, &running);
  }
  std::vector<HttpPostEnd> ended;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* const curl = message->easy_handle;  // the message is gone with it
    const auto found = impl_->transfers.find(curl);
    ended.push_back(end_of(*found->second, code));
    curl_multi_remove_handle(multi, curl);
    impl_->transfers.erase(found);
  }
  return ended;
}

void HttpPosts::wake() { curl_multi_wakeup(impl_->multi.get()); }

}  // namespace annolog::workers
