#include "api/audit_origins.hpp"

#include <algorithm>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/json/utf8.hpp"
#include "platform/encoding.hpp"
#include "platform/seal.hpp"

namespace annolog::api {
namespace {

constexpr unsigned char kDelete = 0x7F;

std::string text_of(const AuditOrigins::Place& place) {
  std::string text = place.key_id;
  text += '\n';
  text += place.address;
  text += '\n';
  text += place.user_agent;
  return text;
}

// The first characters; a header may hold any bytes, and what is no character is "?".
std::string shown(std::string_view user_agent) {
  std::string text;
  for (std::size_t i = 0; i < kMaxAuditedAgent && !user_agent.empty(); ++i) {
    const std::size_t length = codec::utf8_sequence_length(user_agent);
    const auto first = static_cast<unsigned char>(user_agent.front());
    const bool is_shown = length > 0 && first >= ' ' && first != kDelete;
    text += is_shown ? user_agent.substr(0, length) : "?";
    user_agent.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

// Of callers who are nobody: no key is theirs, and in the clear an address could be somebody's.
platform::SubjectKey key_of_nobody(const PersonalData& personal_data) {
  const auto bytes = platform::from_hex(personal_data.exact_digest("audit of nobody"));
  platform::SubjectKey key{};
  std::copy_n(bytes->begin(), key.bytes.size(), key.bytes.begin());
  return key;
}

Sealed seal_as(const PersonalData& personal_data, const std::string& key_id,
               const std::string& text) {
  if (key_id != kKeyOfNobody) return personal_data.seal(key_id, text);
  const auto sealed = platform::Sealer::seal(key_of_nobody(personal_data), {key_id}, text);
  return {key_id, platform::to_base64url(sealed)};
}

}  // namespace

std::optional<std::string> open_origin_text(const PersonalData& personal_data,
                                            const Sealed& sealed) {
  if (sealed.key_id != kKeyOfNobody) return personal_data.open(sealed);
  const auto bytes = platform::from_base64url(sealed.base64);
  if (!bytes) return std::nullopt;
  return platform::Sealer::open(key_of_nobody(personal_data), {sealed.key_id}, *bytes);
}

std::optional<RequestOrigin> AuditOrigins::find(const Place& place) {
  const std::string text = text_of(place);
  const std::lock_guard lock(mutex_);
  const auto found = by_place_.find(text);
  if (found == by_place_.end()) return std::nullopt;
  newest_first_.splice(newest_first_.begin(), newest_first_, found->second);
  return found->second->origin;
}

RequestOrigin AuditOrigins::seal(const Place& place) {
  const PlainOrigin plain{std::string(place.address), shown(place.user_agent)};
  RequestOrigin origin;
  try {
    origin.sealed = seal_as(personal_data_, place.key_id, codec::to_json_text(plain));
  } catch (const std::exception&) {
    return {};  // erased meanwhile, or the keys can't be read
  }
  const std::lock_guard lock(mutex_);
  newest_first_.push_front({text_of(place), origin});
  const auto [at, is_new] =
      by_place_.try_emplace(newest_first_.front().place, newest_first_.begin());
  if (!is_new) newest_first_.pop_front();
  if (newest_first_.size() > kept_max_) {
    by_place_.erase(newest_first_.back().place);
    newest_first_.pop_back();
  }
  return origin;
}

std::optional<PlainOrigin> open_origin(const PersonalData& personal_data,
                                       const RequestOrigin& origin) {
  if (!origin.sealed) {
    return origin.ip ? std::optional(PlainOrigin{*origin.ip, {}}) : std::nullopt;
  }
  const auto text = open_origin_text(personal_data, *origin.sealed);
  if (!text) return std::nullopt;
  return codec::from_json_text<PlainOrigin>(*text);
}

}  // namespace annolog::api
