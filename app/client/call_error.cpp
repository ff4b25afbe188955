#include "app/client/call_error.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

std::string location_of(const json& error) {
  std::string where;
  if (!error.contains("loc") || !error["loc"].is_array()) return where;
  for (const json& part : error["loc"]) {
    if (!where.empty()) where += '.';
    where += part.is_string() ? part.get<std::string>() : part.dump();
  }
  return where;
}

}  // namespace

CallError error_of(const HttpReply& reply) {
  CallError error{reply.status, {}, {}, {}};
  const json body = json::parse(reply.body, nullptr, false);
  if (!body.is_object() || !body.contains("detail")) {
    error.message = reply.body.empty() ? "no further word" : reply.body.substr(0, 200);
    return error;
  }
  error.detail = body["detail"];
  if (error.detail.is_string()) {
    error.message = error.detail.get<std::string>();
    return error;
  }
  if (!error.detail.is_object()) return error;
  const auto text = [&error](const char* key) {
    const auto found = error.detail.find(key);
    return found != error.detail.end() && found->is_string() ? found->get<std::string>() : "";
  };
  error.code = text("code");
  error.message = text("message");
  const auto errors = error.detail.find("errors");
  if (errors == error.detail.end() || !errors->is_array()) return error;
  for (std::size_t i = 0; i < errors->size() && i < 5; ++i) {
    const json& one = (*errors)[i];
    if (!one.is_object() || !one.contains("msg") || !one["msg"].is_string()) continue;
    error.message += " " + location_of(one) + ": " + one["msg"].get<std::string>() + ";";
  }
  return error;
}

CallError transport_error(const TransportError& fault, const std::string& url, int attempts) {
  const std::string tried = attempts > 1 ? " (tried " + std::to_string(attempts) + " times)" : "";
  const char* code = fault.retriable ? "NO_REPLY" : "NOT_SENT";
  // What follows the question mark may be a signature.
  return {0, code, url.substr(0, url.find('?')) + ": " + fault.message + tried, {}};
}

std::string CallError::text() const {
  std::string line = status == 0 ? std::string{} : "HTTP " + std::to_string(status);
  if (status != 0 && !code.empty()) line += " " + code;
  if (!line.empty()) line += ": ";
  return line + message;
}

}  // namespace annolog::client
