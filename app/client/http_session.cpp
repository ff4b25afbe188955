#include "app/client/http_session.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <stdexcept>

namespace annolog::client {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct ListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListFree>;

// What the callbacks of one exchange share.
struct Exchange {
  CURL* curl = nullptr;
  const HttpRequest* request = nullptr;
  HttpReply reply;
  std::unique_ptr<std::FILE, FileCloser> file;
  std::uint64_t sent = 0;  // bytes of the file
  bool file_shrank = false;
  bool sink_refused = false;
  bool too_large = false;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(data, size * count);
  // A status line begins a new reply: what an interim one (100 Continue) said is void.
  if (line.starts_with("HTTP/")) {
    exchange.reply.headers.clear();
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    exchange.reply.headers[lower(line.substr(0, colon))] = without_blanks(line.substr(colon + 1));
  }
  return size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view piece(data, size * count);
  long status = 0;
  curl_easy_getinfo(exchange.curl, CURLINFO_RESPONSE_CODE, &status);
  if (exchange.request->sink && status >= 200 && status < 300) {
    exchange.sink_refused = !exchange.request->sink(piece);
    return exchange.sink_refused ? 0 : piece.size();
  }
  exchange.too_large = exchange.reply.body.size() + piece.size() > kReplyBytesMax;
  if (exchange.too_large) return 0;
  exchange.reply.body.append(piece);
  return piece.size();
}

std::size_t on_read(char* into, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  // The announced length holds, whatever happens to the file meanwhile: the service would wait for
  // what is missing, and take what is too much for the next request.
  const std::uint64_t left = exchange.request->body_file_bytes - exchange.sent;
  const std::size_t wanted = std::min<std::uint64_t>(left, size * count);
  const std::size_t got = std::fread(into, 1, wanted, exchange.file.get());
  exchange.file_shrank = got == 0 && left > 0;
  if (exchange.file_shrank) return CURL_READFUNC_ABORT;
  exchange.sent += got;
  if (got > 0 && exchange.request->on_sent) exchange.request->on_sent(got);
  return got;
}

bool is_retriable_fault(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR: return true;
    default: return false;
  }
}

void global_init() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      throw std::runtime_error("libcurl cannot start");
    }
  });
}

HeaderList header_list(const HttpRequest& request) {
  HeaderList list;
  const auto add = [&list](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list.release();
    list.reset(longer);
  };
  for (const auto& [name, value] : request.headers) {
    // An empty value needs curl's own spelling, else the header is left out.
    add(value.empty() ? name + ";" : name + ": " + value);
  }
  // curl would wait a second for an interim reply that the service need not send.
  add("Expect:");
  return list;
}

void set_body(CURL* curl, Exchange& exchange) {
  const HttpRequest& request = *exchange.request;
  if (!request.body_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &on_read);
    curl_easy_setopt(curl, CURLOPT_READDATA, &exchange);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
                     static_cast<curl_off_t>(request.body_file_bytes));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    return;
  }
  if (request.method == "GET") return;
  if (!request.body.empty() || request.method != "DELETE") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void set_limits(CURL* curl, const HttpRequest& request) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectTimeoutS);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, request.stalled_timeout_s);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "annolog/" ANNOLOG_VERSION);
}

}  // namespace

struct HttpSession::Handle {
  Handle() {
    global_init();
    curl.reset(curl_easy_init());
    if (!curl) throw std::runtime_error("libcurl cannot make a session");
  }
  struct Cleanup {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  std::unique_ptr<CURL, Cleanup> curl;
};

HttpSession::HttpSession(std::string ca_file)
    : handle_(std::make_unique<Handle>()), ca_file_(std::move(ca_file)) {}
HttpSession::~HttpSession() = default;
HttpSession::HttpSession(HttpSession&&) noexcept = default;
HttpSession& HttpSession::operator=(HttpSession&&) noexcept = default;

const std::string* HttpReply::header(const std::string& lower_name) const {
  const auto found = headers.find(lower_name);
  return found == headers.end() ? nullptr : &found->second;
}

std::variant<HttpReply, TransportError> HttpSession::perform(const HttpRequest& request) {
  CURL* curl = handle_->curl.get();
  curl_easy_reset(curl);  // keeps the open connection
  Exchange exchange;
  exchange.curl = curl;
  exchange.request = &request;
  if (!request.body_file.empty()) {
    exchange.file.reset(std::fopen(request.body_file.c_str(), "rb"));
    if (!exchange.file) return TransportError{"cannot read " + request.body_file.string(), false};
  }
  char reason[CURL_ERROR_SIZE] = "";
  const HeaderList headers = header_list(request);
  set_limits(curl, request);
  set_body(curl, exchange);
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, &reason[0]);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &exchange);
  if (!ca_file_.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file_.c_str());

  const CURLcode code = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  exchange.reply.status = static_cast<int>(status);
  // A service that refuses an upload early answers and closes; its answer counts, not the break.
  const bool refused_early = code == CURLE_SEND_ERROR && status >= 400;
  if (code == CURLE_OK || refused_early) return std::move(exchange.reply);
  if (exchange.file_shrank) return TransportError{"the file can't be read to its end", false};
  if (exchange.sink_refused) return TransportError{"the reply could not be written", false};
  if (exchange.too_large) return TransportError{"the reply is larger than 64 MiB", false};
  const std::string text = reason[0] != '\0' ? std::string(&reason[0]) : curl_easy_strerror(code);
  return TransportError{text, is_retriable_fault(code)};
}

std::string url_encode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool mark = c == '-' || c == '.' || c == '_' || c == '~';
    if ((std::isalnum(byte) != 0 && byte < 128) || mark) {
      result += c;
    } else {
      result += '%';
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    }
  }
  return result;
}

}  // namespace annolog::client
