// An OpenID Connect provider as the client sees it: where people sign in, what their code is worth,
// and whether an ID token is to be believed (OpenID Connect Core 1.0, section 3.1; RFC 6749).
// Any thread. Every call may block: 10 s for the exchange, 20 s more when the provider's documents
// must be fetched, so callers use a pool. The clock must outlive the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/oidc/id_token.hpp"
#include "api/oidc/metadata.hpp"
#include "api/oidc/provider_error.hpp"
#include "platform/clock.hpp"

namespace annolog::api::oidc {

struct ProviderSettings {
  std::string issuer;  // exactly as the provider writes it
  std::string client_id;
  std::string client_secret;
  std::string scopes = "openid email profile";  // with blanks between them
  std::string ca_file;                          // PEM; empty: the system's roots
  const std::atomic<bool>* stopping = nullptr;  // once set, calls under way end within a second
};

struct AuthorizationRequest {
  std::string_view state;
  std::string_view nonce;
  std::string_view challenge;
  std::string_view redirect_uri;
};

struct CodeExchange {
  std::string_view code;
  std::string_view verifier;
  std::string_view redirect_uri;  // the same as when the code was asked for
};

class Provider {
 public:
  static constexpr std::int64_t kKeptMs = 3'600'000;       // discovery document and keys
  static constexpr std::int64_t kNewKeysPauseMs = 30'000;  // between looks for an unknown key
  static constexpr std::int64_t kFailureKeptMs = 1'000;

  // Throws std::invalid_argument with a line for a person when the settings can't work.
  Provider(ProviderSettings settings, const platform::Clock& clock);

  const std::string& issuer() const { return settings_.issuer; }

  // Where the browser goes. The answer comes back to redirect_uri.
  ProviderResult<std::string> authorization_url(const AuthorizationRequest& request);
  // The ID token that the code stands for, not yet verified.
  ProviderResult<std::string> exchange(const CodeExchange& exchange);
  // Looks once more for new keys when the token's is not known.
  ProviderResult<IdTokenClaims> verify(std::string_view id_token, std::string_view nonce);

 private:
  struct Documents {
    Metadata metadata;
    KeySet keys;
  };
  using DocumentsPtr = std::shared_ptr<const Documents>;

  ProviderResult<DocumentsPtr> documents();
  // Those with newer keys than `used`; `used` when it is too early to look.
  ProviderResult<DocumentsPtr> newer_than(const DocumentsPtr& used);
  ProviderResult<Metadata> fetch_metadata() const;
  ProviderResult<KeySet> fetch_keys(const Metadata& metadata) const;
  ProviderResult<DocumentsPtr> fetch_documents() const;
  ProviderResult<DocumentsPtr> remember(ProviderResult<DocumentsPtr> fetched);
  bool has_just_failed() const;

  const ProviderSettings settings_;
  const platform::Clock* clock_;

  // Held while documents are fetched: one thread asks, the others wait for what it gets.
  std::mutex mutex_;
  DocumentsPtr documents_;
  std::int64_t discovered_at_ms_ = 0;  // all times are monotonic
  std::optional<std::int64_t> looked_for_keys_at_ms_;
  std::optional<ProviderError> failure_;
  std::int64_t failed_at_ms_ = 0;
};

}  // namespace annolog::api::oidc
