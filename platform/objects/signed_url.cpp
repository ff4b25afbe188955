#include "platform/objects/signed_url.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "domain/support/number.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"
#include "platform/objects/percent_encoding.hpp"

namespace annolog::platform {
namespace {

DomainError malformed(std::string message) {
  return {DomainError::Kind::bad_request, "URL_MALFORMED", std::move(message), {}, {}, 0};
}

// What is signed: one `name=value` line per part, in fixed order, absent ones left out. No value
// can hold a line feed, so two grants never share a text.
std::string signed_text(const UrlGrant& grant) {
  std::string text = "annolog-object-url-v1\nmethod=" + grant.method + "\nkey=" + grant.key.text() +
                     "\nexpires=" + std::to_string(grant.expires_at.ms);
  if (grant.size_bytes) text += "\nsize=" + std::to_string(*grant.size_bytes);
  if (grant.max_bytes) text += "\nmax=" + std::to_string(*grant.max_bytes);
  if (grant.content_type) text += "\ntype=" + *grant.content_type;
  if (grant.md5_hex) text += "\nmd5=" + *grant.md5_hex;
  return text;
}

// Decimal digits only, no sign, no leading zero: one number has one spelling.
template <class Integer>
std::optional<Integer> parse_number(std::string_view text) {
  const auto value = number_from<Integer>(text);
  return value && *value >= 0 && std::to_string(*value) == text ? value : std::nullopt;
}

bool is_plain_text(std::string_view text) {
  return !text.empty() && text.size() <= 255 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

bool is_md5_hex(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The query by name. Every parameter is known and stands there once.
struct Query {
  std::optional<std::string> method, expires, size, max, type, md5, signature;

  std::optional<std::string>* member(std::string_view name) {
    if (name == "method") return &method;
    if (name == "expires") return &expires;
    if (name == "size") return &size;
    if (name == "max") return &max;
    if (name == "type") return &type;
    if (name == "md5") return &md5;
    if (name == "signature") return &signature;
    return nullptr;
  }
};

Result<Query> parse_query(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return malformed("A query parameter has no value.");
    auto* member = query.member(pair.substr(0, equals));
    if (member == nullptr) return malformed("The URL has a query parameter that is not known.");
    if (*member) return malformed("The URL has a query parameter twice.");
    *member = percent_decode(pair.substr(equals + 1));
    if (!*member) return malformed("A query parameter is not properly percent-encoded.");
  }
  if (!query.method || !query.expires || !query.signature)
    return malformed("The URL needs the parameters method, expires and signature.");
  return query;
}

Result<UrlGrant> to_grant(const ObjectKey& key, Query query) {
  UrlGrant grant{std::move(*query.method), key, {}, {}, {}, std::move(query.type),
                 std::move(query.md5)};
  const auto expires_ms = parse_number<std::int64_t>(*query.expires);
  if (!expires_ms) return malformed("The parameter expires is not a number of milliseconds.");
  grant.expires_at = {*expires_ms};
  if (query.size && !(grant.size_bytes = parse_number<std::uint64_t>(*query.size)))
    return malformed("The parameter size is not a number of bytes.");
  if (query.max && !(grant.max_bytes = parse_number<std::uint64_t>(*query.max)))
    return malformed("The parameter max is not a number of bytes.");
  if (grant.method != "GET" && grant.method != "PUT")
    return malformed("The parameter method is neither GET nor PUT.");
  if (grant.content_type && !is_plain_text(*grant.content_type))
    return malformed("The parameter type is not a media type.");
  if (grant.md5_hex && !is_md5_hex(*grant.md5_hex))
    return malformed("The parameter md5 is not 32 lower-case hexadecimal digits.");
  return grant;
}

}  // namespace

SignedUrls::SignedUrls(Mac current, std::vector<Mac> older) : macs_(std::move(older)) {
  macs_.insert(macs_.begin(), std::move(current));
}

std::string SignedUrls::sign(const UrlGrant& grant) const {
  // A grant that verify() would call malformed is a mistake of the caller, not of a user.
  const bool sound = (grant.method == "GET" || grant.method == "PUT") && grant.expires_at.ms >= 0 &&
                     (!grant.content_type || is_plain_text(*grant.content_type)) &&
                     (!grant.md5_hex || is_md5_hex(*grant.md5_hex));
  if (!sound) throw std::invalid_argument("an object URL can't be signed for such a grant");
  const std::string mac = macs_.front()(signed_text(grant));
  if (mac.size() < 16) throw std::logic_error("the MAC for object URLs is shorter than 16 bytes");
  std::string url = std::string(kPathPrefix) + percent_encode_path(grant.key.text()) +
                    "?method=" + grant.method + "&expires=" + std::to_string(grant.expires_at.ms);
  if (grant.size_bytes) url += "&size=" + std::to_string(*grant.size_bytes);
  if (grant.max_bytes) url += "&max=" + std::to_string(*grant.max_bytes);
  if (grant.content_type) url += "&type=" + percent_encode(*grant.content_type);
  if (grant.md5_hex) url += "&md5=" + *grant.md5_hex;
  return url + "&signature=" + to_hex(mac);
}

Result<UrlGrant> SignedUrls::verify(std::string_view method, std::string_view target,
                                    Timestamp now) const {
  if (!target.starts_with(kPathPrefix)) return malformed("The path is not that of an object.");
  target.remove_prefix(kPathPrefix.size());
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return malformed("The URL is not signed.");
  const auto key_text = percent_decode(target.substr(0, question));
  if (!key_text) return malformed("The path is not properly percent-encoded.");
  const auto key = ObjectKey::parse(*key_text);
  if (!key) return malformed(key.error().message);
  BOOST_OUTCOME_TRY(auto query, parse_query(target.substr(question + 1)));
  const std::string signature = *query.signature;
  BOOST_OUTCOME_TRY(auto grant, to_grant(key.value(), std::move(query)));

  // The signature comes first: only the holder of a genuine URL learns what else is wrong with it.
  const std::string text = signed_text(grant);
  bool genuine = false;
  for (const Mac& mac : macs_) genuine |= constant_time_equal(to_hex(mac(text)), signature);
  if (!genuine)
    return DomainError{DomainError::Kind::forbidden,
                       "URL_SIGNATURE_INVALID",
                       "The signature of the URL is not valid.",
                       {},
                       {},
                       0};
  if (method != grant.method && !(method == "HEAD" && grant.method == "GET"))
    return DomainError{DomainError::Kind::forbidden,
                       "URL_METHOD_MISMATCH",
                       "The URL is signed for " + grant.method + ".",
                       {},
                       {},
                       0};
  if (now >= grant.expires_at)
    return DomainError{DomainError::Kind::gone,
                       "URL_EXPIRED",
                       "The URL expired at " + to_rfc3339(grant.expires_at) + ".",
                       {},
                       {},
                       0};
  return grant;
}

}  // namespace annolog::platform
