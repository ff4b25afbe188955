#include "api/http/error_reply.hpp"

#include <algorithm>

#include "api/http/text.hpp"

#include "domain/support/error_status.hpp"
#include "domain/support/text.hpp"

namespace annolog::http {
namespace {

void write_value(std::string& out, const DomainError::Value& value) {
  codec::write_json(out, value);
}

void write_errors(std::string& out, const std::vector<FieldError>& errors) {
  out += "\"errors\":[";
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i != 0) out += ',';
    out += "{\"loc\":";
    codec::write_json(out, errors[i].loc);
    out += ",\"msg\":";
    codec::write_json_string(out, errors[i].msg);
    out += ",\"type\":";
    codec::write_json_string(out, errors[i].type);
    out += '}';
  }
  out += ']';
}

void write_extras(std::string& out, const DomainError& error) {
  for (const auto& [name, value] : error.detail) {
    out += ',';
    codec::write_json_string(out, name);
    out += ':';
    write_value(out, value);
  }
  if (!error.errors.empty()) {
    out += ',';
    write_errors(out, error.errors);
  }
}

std::string problem_body(const DomainError& error, int status) {
  std::string out = "{\"type\":\"about:blank\",\"title\":";
  codec::write_json_string(out, reason_phrase(status));
  out += ",\"status\":" + std::to_string(status) + ",\"detail\":";
  codec::write_json_string(out, error.message);
  if (!error.code.empty()) {
    out += ",\"code\":";
    codec::write_json_string(out, error.code);
  }
  write_extras(out, error);
  out += '}';
  return out;
}

// RFC 9110, 12.4.2: a weight of 0 means "not this one".
bool weighs_nothing(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view weight = trim(take_until(parameters, ';'));
    if (!weight.starts_with("q=") && !weight.starts_with("Q=")) continue;
    return weight.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

// Only a client that names it gets it; */* gets the usual form.
bool wants_problem(const RequestHead& head) {
  for (const HeaderView& field : head.headers) {
    if (field.name != "accept") continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      std::string_view range = take_until(rest, ',');
      const std::string_view type = trim(take_until(range, ';'));
      if (equals_ignoring_case(type, "application/problem+json")) return !weighs_nothing(range);
    }
  }
  return false;
}

// RFC 6750, section 3.1, knows one word for what was presented; where nothing was, or it was no
// token, the word is ours.
std::string challenge(const std::string& code) {
  std::string word = lower_ascii(code);
  if (code == "NOT_AUTHENTICATED") word = "missing_token";
  if (code == "TOKEN_EXPIRED" || code == "INVALID_API_KEY") word = "invalid_token";
  return "Bearer realm=\"annolog\", error=\"" + word + "\"";
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 426: return "Upgrade Required";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

std::string error_body(const DomainError& error) {
  std::string out = "{\"detail\":";
  if (error.code.empty()) {
    codec::write_json_string(out, error.message);
  } else {
    out += "{\"code\":";
    codec::write_json_string(out, error.code);
    out += ",\"message\":";
    codec::write_json_string(out, error.message);
    write_extras(out, error);
    out += '}';
  }
  out += '}';
  return out;
}

Reply error_reply(const RequestHead& head, const DomainError& error, int status) {
  if (status == 0) {
    status = status_of(error);
  }
  Reply reply;
  reply.status = status;
  if (wants_problem(head)) {
    reply.content_type = "application/problem+json";
    reply.body = problem_body(error, status);
  } else {
    reply.content_type = kJsonType;
    reply.body = error_body(error);
  }
  if (status == 401) reply.headers.emplace_back("WWW-Authenticate", challenge(error.code));
  if (status == 429 || status == 503) {
    reply.headers.emplace_back("Retry-After", std::to_string(std::max(1, error.retry_after_s)));
  }
  return reply;
}

}  // namespace annolog::http
