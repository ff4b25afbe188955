#include "app/client/session.hpp"

#include <ctime>
#include <random>
#include <thread>

#include "app/client/retry.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

std::string origin_of(std::string url) {
  if (url.empty()) url = kDefaultUrl;
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with(kApiRoot)) url.resize(url.size() - kApiRoot.size());
  while (url.ends_with('/')) url.pop_back();
  if (url.find("://") == std::string::npos) url.insert(0, "http://");
  return url;
}

}  // namespace

Session::Session(ConnectionOptions options)
    : options_(std::move(options)), origin_(origin_of(options_.url)) {
  if (!options_.api_key.empty()) {
    access_ = {"X-API-Key", options_.api_key};
  } else if (!options_.token.empty()) {
    access_ = {"Authorization", "Bearer " + options_.token};
  }
}

void Session::wait(std::chrono::milliseconds delay) const {
  if (options_.wait) {
    options_.wait(delay);
  } else {
    std::this_thread::sleep_for(delay);
  }
}

Called<Session::Access> Session::access(HttpSession& http) {
  const std::lock_guard lock(mutex_);
  if (!access_.header_value.empty()) return access_;
  return log_in(http);
}

Called<Session::Access> Session::renew(HttpSession& http, const Access& refused) {
  const std::lock_guard lock(mutex_);
  if (access_.header_value != refused.header_value) return access_;  // another thread was first
  if (!options_.api_key.empty()) return CallError{401, "", "the API key is not accepted", {}};
  if (options_.username.empty()) {
    return CallError{
        401, "", "the token is not accepted, and there is no password to renew it", {}};
  }
  return log_in(http);
}

Called<Session::Access> Session::log_in(HttpSession& http) {
  if (options_.username.empty()) {
    return CallError{401, "", "no user and password, token or API key given", {}};
  }
  HttpRequest request;
  request.method = "POST";
  request.url = origin_ + std::string(kApiRoot) + "/auth/login";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json{{"username", options_.username}, {"password", options_.password}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  for (int attempt = 1;; ++attempt) {
    const auto outcome = http.perform(request);
    const auto* reply = std::get_if<HttpReply>(&outcome);
    const auto* fault = std::get_if<TransportError>(&outcome);
    if (reply != nullptr && reply->status == 200) {
      const json body = json::parse(reply->body, nullptr, false);
      if (!body.is_object() || !body.contains("access_token") ||
          !body["access_token"].is_string()) {
        return CallError{200, "", "the login's answer has no access_token", {}};
      }
      access_ = {"Authorization", "Bearer " + body["access_token"].get<std::string>()};
      return access_;
    }
    const bool again = fault != nullptr ? fault->retriable : is_retriable(reply->status);
    if (!again || attempt == kAttemptsMax) {
      if (fault != nullptr) return transport_error(*fault, request.url, attempt);
      CallError error = error_of(*reply);
      error.message = "login of " + options_.username + " failed: " + error.message;
      return error;
    }
    const std::string* after = reply != nullptr ? reply->header("retry-after") : nullptr;
    wait(
        retry_delay(attempt + 1,
                    after != nullptr ? parse_retry_after(*after, std::time(nullptr)) : std::nullopt,
                    std::random_device{}()));
  }
}

}  // namespace annolog::client
