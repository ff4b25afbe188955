#include "api/http/dispatcher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/http/blocking.hpp"
#include "api/http/connection.hpp"
#include "api/http/error_reply.hpp"
#include "api/http/json_parse.hpp"
#include "api/http/query_string.hpp"
#include "api/http/server_state.hpp"
#include "api/http/text.hpp"
#include "domain/support/error_status.hpp"

namespace annolog::http {
namespace {

// A body of this size takes less than a millisecond; all connections of its thread wait for it.
constexpr std::size_t kBindHereBytes = 64 * 1024;
// Of nobody's answer: what the audit says of a request whose client did not wait for one.
constexpr int kClientGone = 499;

DomainError plain_error(DomainError::Kind kind, std::string code, std::string message) {
  return {kind, std::move(code), std::move(message), {}, {}, 0};
}

void put_before(std::vector<FieldError>& errors, std::string_view place) {
  for (FieldError& error : errors) error.loc.insert(error.loc.begin(), std::string(place));
}

bool is_write(Method method) {
  return method == Method::post || method == Method::put || method == Method::patch ||
         method == Method::del;
}

std::string_view media_type_of(std::string_view content_type) {
  return trim(take_until(content_type, ';'));
}

bool is_json(std::string_view type) {
  constexpr std::string_view kSuffix = "+json";
  return equals_ignoring_case(type, kJsonType) ||
         (type.size() > kSuffix.size() &&
          equals_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix));
}

bool is_get_or_head(const RequestHead& head) {
  return head.method == Method::get || head.method == Method::head;
}

// The client has this very representation (RFC 9110, section 13.1.2; tags compare weakly). Only the
// tag of bytes is made of all that is answered: a version does not cover progress, locks or URLs
// that expire, which are shown beside it.
bool is_unchanged(const RequestHead& head, const Reply& reply) {
  if (reply.status != 200 || reply.etag.empty()) return false;
  if (!std::holds_alternative<SourceBody>(reply.body)) return false;
  if (!is_get_or_head(head)) return false;
  const auto strong = [](std::string_view tag) {
    return tag.substr(tag.starts_with("W/") ? 2 : 0);
  };
  for (const HeaderView& field : head.headers) {
    if (field.name != "if-none-match") continue;
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::string_view tag = trim(take_until(rest, ','));
      if (tag == "*" || strong(tag) == strong(reply.etag)) return true;
    }
  }
  return false;
}

Reply not_modified(Reply reply) {
  reply.status = 304;
  reply.content_type.clear();
  reply.body = std::string();
  return reply;
}

// Header values can hold ASCII only; a member's name can hold anything.
std::string header_list(const std::vector<Location>& places) {
  constexpr std::size_t kMaxBytes = 2048;
  std::string list;
  for (const Location& place : places) {
    const std::string name = location_text(place);
    if (list.size() + name.size() > kMaxBytes) {
      list += ", ...";
      break;
    }
    if (!list.empty()) list += ", ";
    for (const char c : name) list += c > 0x20 && c < 0x7f && c != ',' ? c : '?';
  }
  return list;
}

}  // namespace

Dispatcher::Dispatcher(ServerState& state, Connection& connection, const RequestHead& head,
                       RequestRecord& record)
    : state_(state), connection_(connection), head_(head), record_(record) {
  call_.head_ = &head;
  call_.path_ = &params_;
  call_.now_ = state.parts.clock.now();
  call_.executor_ = connection.executor();
  call_.reader_ = &connection;
  call_.connection_ = &connection;
  call_.caller_.address = head.client_address;
}

awaitable<Reply> Dispatcher::run() {
  const auto expect = head_.header("expect");
  if (expect && !equals_ignoring_case(*expect, "100-continue")) {
    co_return error_reply(head_,
                          plain_error(DomainError::Kind::bad_request, "EXPECTATION_FAILED",
                                      "The only expectation known is 100-continue."),
                          417);
  }
  const Endpoint* endpoint = state_.parts.router.find(head_.path, params_);
  if (head_.method == Method::options && (endpoint != nullptr || head_.target == "*")) {
    co_return answer_options(endpoint != nullptr ? *endpoint : Endpoint{});
  }
  if (endpoint == nullptr) co_return error_reply(head_, not_found("resource"));
  const RouteEntry* entry = endpoint->find(head_.method);
  if (entry == nullptr) {
    co_return error_reply(head_,
                          plain_error(DomainError::Kind::bad_request, "METHOD_NOT_ALLOWED",
                                      "The resource does not take this method."),
                          405)
        .header("Allow", endpoint->allow);
  }
  route_ = entry->route;
  call_.route_ = route_;
  record_.route = route_;
  record_.route_index = entry->index;
  Router::name_params(*entry, params_);

  co_return co_await answer();
}

// Refusals, too, leave their row in the audit before the caller hears of them.
awaitable<Reply> Dispatcher::answer() {
  Answer given;
  std::exception_ptr gone;
  try {
    HandlerResult result = co_await handle();
    if (result) {
      given.reply = std::move(result).assume_value();
    } else {
      given.refusal = std::move(result).assume_error();
    }
  } catch (const ClientGone&) {
    gone = std::current_exception();
    given.refusal = plain_error(DomainError::Kind::bad_request, "CLIENT_GONE",
                                "The client went away before it was answered.");
    given.status = kClientGone;
  } catch (const Unavailable& error) {
    given.refusal = plain_error(DomainError::Kind::unavailable, "UNAVAILABLE", error.what());
    given.refusal->retry_after_s = error.retry_after_s();
  } catch (const std::exception& error) {
    given = failed(error.what());
  } catch (...) {
    given = failed("an exception of an unknown type");
  }
  record_.user_id = call_.caller_.id;
  if (given.refusal && given.status == 0) given.status = status_of(*given.refusal);
  if (!route_->action.empty() && !call_.audit_.recorded && state_.parts.recorder != nullptr) {
    auto no_row = co_await state_.parts.recorder->record(
        call_, given.refusal ? given.status : given.reply.status,
        given.refusal ? &*given.refusal : nullptr);
    // What has been written is told; content is not given away without its row. A redirect is none.
    const bool gives_content = is_get_or_head(head_) && given.reply.status == 200;
    if (no_row && !given.refusal && gives_content) {
      given.reply = {};
      given.status = status_of(*no_row);
      given.refusal = std::move(no_row);
    }
  }
  if (gone) std::rethrow_exception(gone);
  if (given.refusal) co_return error_reply(head_, *given.refusal, given.status);
  if (is_unchanged(head_, given.reply)) co_return not_modified(std::move(given.reply));
  if (!call_.ignored_.empty())
    given.reply.headers.emplace_back("X-Ignored-Fields", header_list(call_.ignored_));
  co_return std::move(given.reply);
}

Dispatcher::Answer Dispatcher::failed(std::string_view why) {
  constexpr int kInternal = 500;
  record_.user_id = call_.caller_.id;
  record_.status = kInternal;
  state_.parts.observer.failed(record_, why);
  Answer given;
  given.status = kInternal;
  given.refusal = plain_error(DomainError::Kind::unavailable, "INTERNAL",
                              "The service failed; the request id names the case.");
  return given;
}

Reply Dispatcher::answer_options(const Endpoint& endpoint) const {
  const std::string allow =
      endpoint.allow.empty() ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" : endpoint.allow;
  Reply reply = no_content().header("Allow", allow);
  if (!state_.options.cors_origins.empty() && head_.header("access-control-request-method")) {
    reply.headers.emplace_back("Access-Control-Allow-Methods", allow);
    reply.headers.emplace_back(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-Match, Idempotency-Key, Prefer, X-API-Key, "
        "X-Event-Position, X-Request-Id, Last-Event-ID, traceparent");
    reply.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  return reply;
}

awaitable<HandlerResult> Dispatcher::handle() {
  BOOST_OUTCOME_CO_TRY(co_await admit());
  BOOST_OUTCOME_CO_TRY(read_headers());
  if (route_->query) {
    BOOST_OUTCOME_CO_TRY(read_query());
  }
  if (route_->body.kind != Body::Kind::none) {
    BOOST_OUTCOME_CO_TRY(co_await read_body());
  }
  HandlerResult result = co_await route_->handler(call_);
  if (!result) {  // the domain speaks of its input; which part of the request that was, is known
                  // here
    const bool has_body = route_->body.kind != Body::Kind::none;
    put_before(result.assume_error().errors, has_body ? "body" : route_->query ? "query" : "path");
  }
  co_return result;
}

awaitable<Result<void>> Dispatcher::admit() {
  const Access& access = route_->access;
  if (access.kind() == Access::Kind::open) co_return success();
  BOOST_OUTCOME_CO_TRY(call_.caller_, co_await state_.parts.gate.authenticate(head_, access));
  call_.caller_.address = head_.client_address;
  if (access.kind() != Access::Kind::signed_url) {
    BOOST_OUTCOME_CO_TRY(co_await state_.parts.gate.authorise(call_.caller_, access, params_));
  }
  co_return success();
}

awaitable<Result<void>> Call::admit_again() const {
  const Access& access = route_->access;
  if (access.kind() == Access::Kind::open) co_return success();
  Gate& gate = connection_->gate();
  BOOST_OUTCOME_CO_TRY(const auto caller, co_await gate.authenticate(*head_, access));
  if (access.kind() != Access::Kind::signed_url) {
    BOOST_OUTCOME_CO_TRY(co_await gate.authorise(caller, access, *path_));
  }
  co_return success();
}

bool Call::client_has_gone() const { return connection_->peer_has_gone(); }

Result<void> Dispatcher::read_headers() {
  if (!is_write(head_.method)) return success();
  BOOST_OUTCOME_TRY(call_.idempotency_key_, parse_idempotency_key(head_.header("idempotency-key")));
  if (head_.header("if-match")) {
    const std::string tags = head_.joined("if-match");
    BOOST_OUTCOME_TRY(call_.if_match_, IfMatch::parse(tags));
  }
  return check_precondition();
}

// What has no version can't be of the one that If-Match names; "*" asks only that it is there.
Result<void> Dispatcher::check_precondition() const {
  const IfMatch& match = call_.if_match_;
  const bool changes = head_.method == Method::patch || head_.method == Method::del;
  if (!changes || route_->if_match || !match.present() || match.any()) return success();
  return plain_error(DomainError::Kind::precondition_failed, "PRECONDITION_FAILED",
                     "The resource has no version, so If-Match can't name it: leave it out.");
}

// Errors become a 422; unknown members too when the client asked for it.
Result<void> Dispatcher::judge(Findings& findings, std::string_view place) {
  if (head_.prefers_strict()) {
    std::ranges::move(unknown_fields(std::exchange(findings.ignored, {})),
                      std::back_inserter(findings.errors));
  }
  if (!findings.errors.empty()) {
    put_before(findings.errors, place);
    return validation_error(std::move(findings.errors));
  }
  return success();
}

Result<void> Dispatcher::read_query() {
  Findings findings;
  nlohmann::json document = http::read_query(head_.query, *route_->query.schema, findings);
  validate(*route_->query.schema, document, findings);
  BOOST_OUTCOME_TRY(judge(findings, "query"));
  call_.query_ = route_->query.bind(document, findings.errors);
  return judge(findings, "query");
}

Result<void> Dispatcher::check_media_type() const {
  const auto refuse = [](std::string message) {
    return plain_error(DomainError::Kind::invalid, std::string(kUnsupportedMediaType),
                       std::move(message));
  };
  const auto encoding = head_.header("content-encoding");
  if (encoding && !equals_ignoring_case(*encoding, "identity")) {
    return refuse("Content-Encoding is not supported.");
  }
  const std::string_view type = media_type_of(head_.header("content-type").value_or(""));
  const Body& body = route_->body;
  if (body.kind == Body::Kind::json) {
    if (type.empty() || is_json(type)) return success();
    return refuse("The body must be application/json.");
  }
  const auto takes = [&](const std::string& allowed) {
    return equals_ignoring_case(allowed, type) ||
           (allowed.ends_with("/*") && type.size() > allowed.size() &&
            equals_ignoring_case(type.substr(0, allowed.size() - 1),
                                 std::string_view(allowed).substr(0, allowed.size() - 1)));
  };
  if (body.media_types.empty() ||
      std::any_of(body.media_types.begin(), body.media_types.end(), takes)) {
    return success();
  }
  std::string list;
  for (const std::string& allowed : body.media_types) (list += list.empty() ? "" : ", ") += allowed;
  return refuse("The body must be one of " + list + ".");
}

awaitable<Result<void>> Dispatcher::read_body() {
  const Body& body = route_->body;
  const std::uint64_t limit =
      body.max_bytes != 0 ? body.max_bytes : state_.options.limits.body_bytes;
  connection_.limit_body(limit);
  if (connection_.has_body()) {
    BOOST_OUTCOME_CO_TRY(check_media_type());
    const auto declared = connection_.declared_length();
    if (declared && *declared > limit) {  // before a byte of it is read
      std::array<char, 1> none;
      BOOST_OUTCOME_CO_TRY(co_await connection_.read_some(none));
    }
  }
  if (body.kind == Body::Kind::stream) co_return success();
  BufferShare share(state_);
  BOOST_OUTCOME_CO_TRY(std::string text, co_await collect_body(limit, share));
  if (text.empty() && body.optional) text = "{}";
  if (text.size() <= kBindHereBytes) co_return bind_body(text);
  co_return co_await blocking(state_.parts.large_bodies, [&] { return bind_body(text); });
}

awaitable<Result<std::string>> Dispatcher::collect_body(std::uint64_t limit, BufferShare& share) {
  constexpr std::size_t kStep = 16 * 1024;
  constexpr std::uint64_t kFirstReserve = 1024 * 1024;  // a claimed length alone costs no more
  std::string text;
  if (!connection_.has_body()) co_return text;
  const std::uint64_t declared = connection_.declared_length().value_or(0);
  text.reserve(std::min({declared, limit, kFirstReserve}));
  while (true) {
    const std::size_t had = text.size();
    if (!share.grow_to(had + kStep)) {
      DomainError full = plain_error(DomainError::Kind::unavailable, "OVERLOADED",
                                     "Too many large requests at once.");
      full.retry_after_s = 1;
      co_return full;
    }
    const std::size_t step =
        declared > had ? std::min<std::uint64_t>(kStep, declared - had) : kStep;
    text.resize(had + step);
    const auto count = co_await connection_.read_some(std::span<char>(text.data() + had, step));
    if (!count) co_return count.assume_error();
    text.resize(had + count.assume_value());
    if (count.assume_value() == 0) co_return text;
  }
}

Result<void> Dispatcher::bind_body(const std::string& text) {
  Findings findings;
  auto parsed = parse_client_json(text, findings.errors);
  if (const auto* malformed = std::get_if<MalformedJson>(&parsed)) return to_error(*malformed);
  auto& document = std::get<nlohmann::json>(parsed);
  // What could not be read has a stand-in in the document, which is not judged again.
  std::vector<FieldError> unreadable = std::move(findings.errors);
  findings.errors.clear();
  validate(*route_->body.input.schema, document, findings);
  std::erase_if(findings.errors, [&](const FieldError& error) {
    return std::any_of(unreadable.begin(), unreadable.end(),
                       [&](const FieldError& other) { return other.loc == error.loc; });
  });
  findings.errors.insert(findings.errors.begin(), std::make_move_iterator(unreadable.begin()),
                         std::make_move_iterator(unreadable.end()));
  std::vector<Location> ignored = findings.ignored;
  BOOST_OUTCOME_TRY(judge(findings, "body"));
  call_.ignored_ = std::move(ignored);
  call_.body_ = route_->body.input.bind(document, findings.errors);
  return judge(findings, "body");
}

}  // namespace annolog::http
