// What a delivery is called, by the service and to its receiver: it follows from the webhook and
// from the event's place in the log, so it is the same however often it is sent, by whichever node.
// Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"
#include "domain/support/number.hpp"

namespace annolog {

// A ping is named after its number instead of a place.
inline constexpr std::int64_t kPingPart = -1;

struct DeliveryId {
  WebhookId webhook_id;
  std::int64_t shard = 0;
  std::int64_t position = 0;
  std::int64_t part = 0;  // one event may become several
  auto operator<=>(const DeliveryId&) const = default;
};

// dlv_12_3_4567_0, or ping_12_3_1
inline std::string to_text(const DeliveryId& id) {
  const bool is_ping = id.part == kPingPart;
  std::string text = is_ping ? "ping" : "dlv";
  for (const std::int64_t number : {id.webhook_id.value, id.shard, id.position}) {
    text += '_';
    text += std::to_string(number);
  }
  return is_ping ? text : text + '_' + std::to_string(id.part);
}

// nullopt for any other text than to_text() gives.
inline std::optional<DeliveryId> delivery_id_from(std::string_view text) {
  DeliveryId id;
  id.part = kPingPart;
  std::string_view rest = text.substr(std::min(text.find('_'), text.size()));
  for (std::int64_t* number : {&id.webhook_id.value, &id.shard, &id.position, &id.part}) {
    if (rest.empty()) break;
    rest.remove_prefix(1);
    const auto taken = take_number<std::int64_t>(rest);
    if (!taken) return std::nullopt;
    *number = *taken;
  }
  if (to_text(id) != text) return std::nullopt;  // spelled otherwise, or incomplete
  return id;
}

}  // namespace annolog
