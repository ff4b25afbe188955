#include "app/client/api_client.hpp"

#include <openssl/rand.h>

#include <array>
#include <ctime>
#include <stdexcept>

#include "app/client/retry.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

std::string hex(const unsigned char* data, std::size_t size) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kHex[data[i] >> 4];
    text += kHex[data[i] & 15];
  }
  return text;
}

Called<ApiReply> parsed(const HttpReply& reply) {
  ApiReply result{reply.status, {}};
  if (reply.body.empty()) return result;
  result.body = json::parse(reply.body, nullptr, false);
  if (result.body.is_discarded()) {
    return CallError{reply.status, "", "the answer is not JSON: " + reply.body.substr(0, 80), {}};
  }
  return result;
}

}  // namespace

ApiClient::ApiClient(std::shared_ptr<Session> session)
    : session_(std::move(session)),
      http_(session_->options().ca_file),
      random_(std::random_device{}()) {}

Called<HttpReply> ApiClient::perform(HttpRequest request, bool authenticated,
                                     const std::function<bool()>& restart) {
  const auto own_headers = request.headers;
  bool renewed = false;
  Session::Access access;
  if (authenticated) {
    BOOST_OUTCOME_TRY(access, session_->access(http_));
  }
  for (int attempt = 1;; ++attempt) {
    request.headers = own_headers;
    if (authenticated) request.headers.emplace_back(access.header_name, access.header_value);
    auto outcome = http_.perform(request);
    auto* reply = std::get_if<HttpReply>(&outcome);
    const auto* fault = std::get_if<TransportError>(&outcome);
    if (reply != nullptr && reply->status >= 200 && reply->status < 300) return std::move(*reply);
    if (reply != nullptr && reply->status == 401 && authenticated && !renewed) {
      renewed = true;
      BOOST_OUTCOME_TRY(access, session_->renew(http_, access));
      continue;
    }
    const bool again = fault != nullptr ? fault->retriable : is_retriable(reply->status);
    if (!again || attempt >= kAttemptsMax || (restart && !restart())) {
      if (fault != nullptr) return transport_error(*fault, request.url, attempt);
      return error_of(*reply);
    }
    const std::string* after = reply != nullptr ? reply->header("retry-after") : nullptr;
    const auto asked =
        after != nullptr ? parse_retry_after(*after, std::time(nullptr)) : std::nullopt;
    session_->wait(retry_delay(attempt + 1, asked, static_cast<std::uint32_t>(random_())));
  }
}

Called<ApiReply> ApiClient::get(const std::string& path) {
  HttpRequest request;
  request.url = session_->origin() + std::string(kApiRoot) + path;
  if (!position_.empty()) request.headers.emplace_back("X-Event-Position", position_);
  BOOST_OUTCOME_TRY(const auto reply, perform(std::move(request), true, {}));
  return parsed(reply);
}

Called<ApiReply> ApiClient::write(const std::string& method, const std::string& path,
                                  const json& body, const std::string& idempotency_key,
                                  const std::string& if_match) {
  HttpRequest request;
  request.method = method;
  request.url = session_->origin() + std::string(kApiRoot) + path;
  request.headers.emplace_back("Idempotency-Key", idempotency_key);
  if (!if_match.empty()) request.headers.emplace_back("If-Match", if_match);
  if (!body.is_null()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  BOOST_OUTCOME_TRY(const auto reply, perform(std::move(request), true, {}));
  if (const std::string* position = reply.header("x-event-position")) position_ = *position;
  return parsed(reply);
}

Called<ApiReply> ApiClient::post(const std::string& path, const json& body,
                                 const std::string& idempotency_key) {
  return write("POST", path, body, idempotency_key, {});
}

Called<ApiReply> ApiClient::patch(const std::string& path, const json& body,
                                  const std::string& idempotency_key, const std::string& if_match) {
  return write("PATCH", path, body, idempotency_key, if_match);
}

Called<ApiReply> ApiClient::erase(const std::string& path, const std::string& idempotency_key) {
  return write("DELETE", path, nullptr, idempotency_key, {});
}

Called<bool> ApiClient::each(const std::string& path_with_query,
                             const std::function<bool(const json&)>& visit) {
  const char joiner = path_with_query.find('?') == std::string::npos ? '?' : '&';
  std::string cursor;
  for (;;) {
    std::string path = path_with_query + joiner + "limit=200";
    if (!cursor.empty()) path += "&cursor=" + url_encode(cursor);
    BOOST_OUTCOME_TRY(const auto reply, get(path));
    if (!reply.body.is_object() || !reply.body.contains("items") ||
        !reply.body["items"].is_array()) {
      return CallError{reply.status, "", path_with_query + ": the answer is not a page", {}};
    }
    for (const json& item : reply.body["items"]) {
      if (!visit(item)) return true;
    }
    const auto next = reply.body.find("next_cursor");
    if (next == reply.body.end() || !next->is_string()) return true;
    if (next->get<std::string>() == cursor) {
      return CallError{reply.status, "", path_with_query + ": the cursor does not advance", {}};
    }
    cursor = next->get<std::string>();
  }
}

Called<HttpReply> ApiClient::put_file(const std::string& signed_url, const json& headers,
                                      const std::filesystem::path& file, std::uint64_t bytes,
                                      const std::function<void(std::uint64_t)>& on_sent) {
  HttpRequest request;
  request.method = "PUT";
  request.url = signed_url.starts_with('/') ? session_->origin() + signed_url : signed_url;
  request.body_file = file;
  request.body_file_bytes = bytes;
  request.on_sent = on_sent;
  if (headers.is_object()) {
    for (const auto& [name, value] : headers.items()) {
      request.headers.emplace_back(name,
                                   value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return perform(std::move(request), false, {});
}

Called<ApiReply> ApiClient::post_file(const std::string& path, const std::filesystem::path& file,
                                      std::uint64_t bytes) {
  constexpr long kAnswerTimeoutS = 3600;
  HttpRequest request;
  request.method = "POST";
  request.url = session_->origin() + std::string(kApiRoot) + path;
  request.headers.emplace_back("Content-Type", "application/json");
  if (!position_.empty()) request.headers.emplace_back("X-Event-Position", position_);
  request.body_file = file;
  request.body_file_bytes = bytes;
  request.stalled_timeout_s = kAnswerTimeoutS;
  BOOST_OUTCOME_TRY(const auto reply, perform(std::move(request), true, {}));
  if (const std::string* position = reply.header("x-event-position")) position_ = *position;
  return parsed(reply);
}

Called<HttpReply> ApiClient::download(const std::string& path,
                                      const std::function<bool(std::string_view)>& sink,
                                      const std::function<bool()>& restart) {
  HttpRequest request;
  request.url = session_->origin() + std::string(kApiRoot) + path;
  request.sink = sink;
  return perform(std::move(request), true, restart);
}

std::string fresh_key(const std::string& what) {
  std::array<unsigned char, 12> nonce{};
  if (RAND_bytes(nonce.data(), static_cast<int>(nonce.size())) != 1) {
    throw std::runtime_error("no random numbers");
  }
  return hex(nonce.data(), nonce.size()) + "-" + what;
}

}  // namespace annolog::client
