// If-Match, Range with If-Range, Idempotency-Key, X-Forwarded-For, traceparent and request id: one
// line each, in this order.
#include <boost/asio/ip/address.hpp>

#include "api/http/client_address.hpp"
#include "api/http/etag.hpp"
#include "api/http/range.hpp"
#include "api/http/tracing.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

using http::RangeChoice;

void check_if_match(std::string_view header) {
  const auto match = http::IfMatch::parse(header);
  if (!match) return;
  const auto versions = match.value().versions();
  require(versions.has_value() != match.value().any(), "* is any version, a list is some");
  for (const std::int64_t version : versions.value_or(std::vector<std::int64_t>{})) {
    require(match.value().allows(version), "a version that is named is allowed");
    require(match.value().check(version).has_value(), "what is allowed passes");
  }
}

void check_range(std::string_view header, std::string_view if_range, std::uint64_t size) {
  const auto choice = http::choose_range(header, std::nullopt, "\"1\"", size);
  const auto conditional = http::choose_range(header, if_range, "\"1\"", size);
  require(conditional.kind == RangeChoice::Kind::whole ||
              (conditional.kind == choice.kind && conditional.range == choice.range),
          "If-Range keeps the range or drops it");
  if (choice.kind != RangeChoice::Kind::part) return;
  require(choice.range.first <= choice.range.last && choice.range.last < size,
          "a range lies in its object");
  const std::string text =
      "bytes=" + std::to_string(choice.range.first) + "-" + std::to_string(choice.range.last);
  require(http::choose_range(text, std::nullopt, "", size).range == choice.range,
          "a range reads back as it is");
}

void check_key(std::string_view header) {
  const auto key = http::parse_idempotency_key(header);
  if (!key) return;
  require(key.value() == header && !header.empty() && header.size() <= 128, "a key is as it came");
}

void check_client(std::string_view forwarded_for) {
  static const http::TrustedProxies proxies("127.0.0.0/8, ::1, 10.0.0.0/8");
  const auto peer = boost::asio::ip::make_address("127.0.0.1");
  const std::string client = proxies.client(peer, forwarded_for);
  boost::system::error_code error;
  boost::asio::ip::make_address(client, error);
  require(!error, "a client's address is an address");
}

void check_ids(std::string_view traceparent, std::string_view request_id) {
  require(http::traceparent_from(traceparent).size() == 55, "a traceparent is one of version 00");
  const std::string id = http::request_id_from(request_id);
  require(!id.empty() && id.size() <= 128, "a request id is short");
}

}  // namespace

void try_input(std::string_view input) {
  const auto [if_match, after_match] = split(input);
  const auto [range, after_range] = split(after_match);
  const auto [if_range, after_if_range] = split(after_range);
  const auto [key, after_key] = split(after_if_range);
  const auto [forwarded_for, after_forwarded] = split(after_key);
  const auto [traceparent, request_id] = split(after_forwarded);
  check_if_match(if_match);
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    check_range(range, if_range, size);
  }
  check_key(key);
  check_client(forwarded_for);
  check_ids(traceparent, request_id);
}

}  // namespace annolog::fuzz
