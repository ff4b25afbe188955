#include "api/auth/known_keys.hpp"

#include <algorithm>

#include "domain/api_key/commands.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kMark = "ak_";

bool is_base62(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

}  // namespace

void KnownKeys::put(const std::string& prefix, KnownKey key) {
  const std::unique_lock guard(mutex_);
  prefixes_.insert_or_assign(key.id.value, prefix);
  keys_.insert_or_assign(prefix, std::move(key));
}

void KnownKeys::revoke(ApiKeyId id) {
  const std::unique_lock guard(mutex_);
  const auto found = prefixes_.find(id.value);
  if (found == prefixes_.end()) return;
  keys_.erase(found->second);
  noted_.erase(id.value);
  prefixes_.erase(found);
}

std::optional<KnownKey> KnownKeys::find(std::string_view prefix) const {
  const std::shared_lock guard(mutex_);
  const auto found = keys_.find(std::string(prefix));
  return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

bool KnownKeys::note_use(ApiKeyId id, Timestamp now) {
  {
    const std::shared_lock guard(mutex_);
    const auto found = noted_.find(id.value);
    if (found != noted_.end() && now - found->second < kKeyUseStepMs) return false;
  }
  const std::unique_lock guard(mutex_);
  if (!prefixes_.contains(id.value)) return false;
  const auto [found, first] = noted_.try_emplace(id.value, now);
  if (!first && now - found->second < kKeyUseStepMs) return false;
  found->second = now;
  return true;
}

std::optional<ApiKeyText> parse_api_key(std::string_view text) {
  constexpr std::size_t kLength = kMark.size() + kApiKeyPrefixLength + 1 + kApiKeySecretLength;
  if (text.size() != kLength || !text.starts_with(kMark)) return std::nullopt;
  const ApiKeyText key{text.substr(kMark.size(), kApiKeyPrefixLength),
                       text.substr(kLength - kApiKeySecretLength)};
  const bool separated = text[kMark.size() + kApiKeyPrefixLength] == '_';
  if (!separated || !is_base62(key.prefix) || !is_base62(key.secret)) return std::nullopt;
  return key;
}

std::string api_key_digest(std::string_view text) {
  return platform::to_base64url(platform::as_bytes_view(platform::sha256(text)));
}

}  // namespace annolog::api
