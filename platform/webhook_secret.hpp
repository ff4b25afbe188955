// The secrets of webhooks, and what is signed with them (Standard Webhooks, standardwebhooks.com).
// A secret is kept nowhere: it follows from the webhook's id, the nonce in its events, and a key of
// the service. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"
#include "platform/digest.hpp"

namespace annolog::platform {

// `key`: Purpose::webhook, the lasting one.
MacKey webhook_secret(const MacKey& key, WebhookId id, std::string_view nonce);
// As people are told it: whsec_<base64>.
std::string webhook_secret_text(const MacKey& secret);
// The value of webhook-signature for one secret: v1,<base64>. `timestamp_s` is what
// webhook-timestamp says.
std::string webhook_signature(const MacKey& secret, std::string_view delivery_id,
                              std::int64_t timestamp_s, std::string_view body);

}  // namespace annolog::platform
