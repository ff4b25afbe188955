#include "platform/webhook_secret.hpp"

#include "platform/encoding.hpp"

namespace annolog::platform {

MacKey webhook_secret(const MacKey& key, WebhookId id, std::string_view nonce) {
  std::string context = std::to_string(id.value);
  context += '\n';
  context += nonce;
  return hmac_sha256(key, context);
}

std::string webhook_secret_text(const MacKey& secret) {
  return "whsec_" + to_base64(as_bytes_view(secret));
}

std::string webhook_signature(const MacKey& secret, std::string_view delivery_id,
                              std::int64_t timestamp_s, std::string_view body) {
  std::string signed_text(delivery_id);
  signed_text += '.';
  signed_text += std::to_string(timestamp_s);
  signed_text += '.';
  signed_text += body;
  return "v1," + to_base64(as_bytes_view(hmac_sha256(secret, signed_text)));
}

}  // namespace annolog::platform
