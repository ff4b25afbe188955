#include "api/oidc/provider.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <boost/outcome/try.hpp>

#include "api/oidc/endpoint_url.hpp"
#include "api/oidc/fetch.hpp"
#include "api/oidc/json_object.hpp"
#include "platform/encoding.hpp"
#include "platform/objects/percent_encoding.hpp"

namespace annolog::api::oidc {
namespace {

using Kind = ProviderError::Kind;
using platform::percent_encode;
using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// application/x-www-form-urlencoded, with blanks as %20: query strings and forms read that alike.
std::string urlencoded(Fields fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += '&';
    text += percent_encode(name);
    text += '=';
    text += percent_encode(value);
  }
  return text;
}

// RFC 6749, section 2.3.1: both are encoded before they are joined, so a colon stays one of theirs.
std::string basic_credentials(const ProviderSettings& settings) {
  return "Basic " + platform::to_base64(percent_encode(settings.client_id) + ":" +
                                        percent_encode(settings.client_secret));
}

bool has_openid(std::string_view scopes) {
  return (" " + std::string(scopes) + " ").find(" openid ") != std::string::npos;
}

// What the token endpoint's error word means (RFC 6749, section 5.2). Only words of that list are
// repeated: the answer could hold anything that was sent.
ProviderError refusal(const FetchAnswer& answer) {
  constexpr std::array kWords = {"invalid_request",     "invalid_client",         "invalid_grant",
                                 "unauthorized_client", "unsupported_grant_type", "invalid_scope"};
  const auto document = parse_object(answer.body);
  const auto told = document ? text_member(*document, "error") : std::nullopt;
  const auto* const word = std::ranges::find(kWords, told.value_or(""));
  if (word == kWords.end()) {
    return {Kind::not_understood, "the token endpoint: status " + std::to_string(answer.status)};
  }
  const Kind kind = *told == "invalid_grant" ? Kind::code_refused : Kind::client_refused;
  return {kind, std::string("the token endpoint: ") + *word};
}

ProviderResult<std::string> fetch_document(std::string_view what, const std::string& url,
                                           const ProviderSettings& settings) {
  BOOST_OUTCOME_TRY(FetchAnswer answer,
                    fetch({what, url, {}, {}, settings.ca_file, settings.stopping}));
  if (answer.status == 200) return std::move(answer.body);
  return ProviderError{Kind::not_understood,
                       std::string(what) + ": status " + std::to_string(answer.status)};
}

}  // namespace

Provider::Provider(ProviderSettings settings, const platform::Clock& clock)
    : settings_(std::move(settings)), clock_(&clock) {
  if (url_kind(settings_.issuer) == UrlKind::refused ||
      settings_.issuer.find('?') != std::string::npos) {
    throw std::invalid_argument(
        "the issuer must be an https URL (http on this machine only) without a query");
  }
  if (settings_.client_id.empty() || settings_.client_secret.empty()) {
    throw std::invalid_argument("sign-in with a provider needs a client id and a client secret");
  }
  if (!has_openid(settings_.scopes)) {
    throw std::invalid_argument("the scopes must have openid among them");
  }
}

ProviderResult<std::string> Provider::authorization_url(const AuthorizationRequest& request) {
  BOOST_OUTCOME_TRY(const DocumentsPtr known, documents());
  const std::string& endpoint = known->metadata.authorization_endpoint;
  const char joint = endpoint.find('?') == std::string::npos ? '?' : '&';
  return endpoint + joint +
         urlencoded({{"response_type", "code"},
                     {"client_id", settings_.client_id},
                     {"redirect_uri", request.redirect_uri},
                     {"scope", settings_.scopes},
                     {"state", request.state},
                     {"nonce", request.nonce},
                     {"code_challenge", request.challenge},
                     {"code_challenge_method", "S256"}});
}

ProviderResult<std::string> Provider::exchange(const CodeExchange& exchange) {
  BOOST_OUTCOME_TRY(const DocumentsPtr known, documents());
  FetchRequest request{
      "the token endpoint", known->metadata.token_endpoint, {}, {}, settings_.ca_file,
      settings_.stopping};
  request.form = urlencoded({{"grant_type", "authorization_code"},
                             {"code", exchange.code},
                             {"redirect_uri", exchange.redirect_uri},
                             {"code_verifier", exchange.verifier}});
  if (known->metadata.takes_basic) {
    request.authorization = basic_credentials(settings_);
  } else {
    request.form += '&' + urlencoded({{"client_id", settings_.client_id},
                                      {"client_secret", settings_.client_secret}});
  }
  BOOST_OUTCOME_TRY(const FetchAnswer answer, fetch(request));
  if (answer.status != 200) return refusal(answer);
  const auto document = parse_object(answer.body);
  auto token = document ? text_member(*document, "id_token") : std::nullopt;
  if (token) return *std::move(token);
  return ProviderError{Kind::not_understood, "the token endpoint: an answer without an ID token"};
}

ProviderResult<IdTokenClaims> Provider::verify(std::string_view id_token, std::string_view nonce) {
  const IdTokenExpectation expected{settings_.issuer, settings_.client_id, nonce, clock_->now()};
  BOOST_OUTCOME_TRY(const DocumentsPtr known, documents());
  auto result = verify_id_token(id_token, known->keys, expected);
  if (!result && result.error() == IdTokenError::unknown_key) {
    BOOST_OUTCOME_TRY(const DocumentsPtr newer, newer_than(known));
    if (newer != known) result = verify_id_token(id_token, newer->keys, expected);
  }
  if (result) return std::move(result).value();
  return ProviderError{Kind::bad_token, "the ID token: " + std::string(to_string(result.error()))};
}

ProviderResult<Provider::DocumentsPtr> Provider::documents() {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now = clock_->monotonic_ms();
  if (documents_ && now - discovered_at_ms_ < kKeptMs) return documents_;
  if (has_just_failed()) return *failure_;
  auto fetched = remember(fetch_documents());
  if (fetched) discovered_at_ms_ = now;
  return fetched;
}

ProviderResult<Provider::DocumentsPtr> Provider::newer_than(const DocumentsPtr& used) {
  const std::scoped_lock lock(mutex_);
  if (documents_ != used) return documents_;  // another thread was here before
  const std::int64_t now = clock_->monotonic_ms();
  if (looked_for_keys_at_ms_ && now - *looked_for_keys_at_ms_ < kNewKeysPauseMs) return used;
  if (has_just_failed()) return *failure_;
  auto keys = fetch_keys(used->metadata);
  if (!keys) return remember(keys.error());
  looked_for_keys_at_ms_ = now;
  return remember(
      std::make_shared<const Documents>(Documents{used->metadata, std::move(keys).value()}));
}

ProviderResult<Metadata> Provider::fetch_metadata() const {
  BOOST_OUTCOME_TRY(
      const std::string text,
      fetch_document("the discovery document", discovery_url(settings_.issuer), settings_));
  return parse_metadata(text, settings_.issuer);
}

ProviderResult<KeySet> Provider::fetch_keys(const Metadata& metadata) const {
  BOOST_OUTCOME_TRY(const std::string text,
                    fetch_document("the key set", metadata.jwks_uri, settings_));
  if (auto keys = parse_key_set(text)) return *std::move(keys);
  return ProviderError{Kind::not_understood, "the key set is none"};
}

ProviderResult<Provider::DocumentsPtr> Provider::fetch_documents() const {
  BOOST_OUTCOME_TRY(Metadata metadata, fetch_metadata());
  BOOST_OUTCOME_TRY(KeySet keys, fetch_keys(metadata));
  return std::make_shared<const Documents>(Documents{std::move(metadata), std::move(keys)});
}

// A failure serves those, too, who waited for it: each of them would else take as long to fail.
ProviderResult<Provider::DocumentsPtr> Provider::remember(ProviderResult<DocumentsPtr> fetched) {
  if (fetched) {
    documents_ = fetched.value();
    failure_.reset();
  } else {
    failure_ = fetched.error();
    failed_at_ms_ = clock_->monotonic_ms();
  }
  return fetched;
}

bool Provider::has_just_failed() const {
  return failure_ && clock_->monotonic_ms() - failed_at_ms_ < kFailureKeptMs;
}

}  // namespace annolog::api::oidc
