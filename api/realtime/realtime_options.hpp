// What sockets are allowed, and their times. Read once, when the hub is made. Sources: spec,
// "Limits"; decisions, section 8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace annolog::api::realtime {

struct RealtimeOptions {
  std::size_t sockets = 200;          // of this process; more: 1013
  std::size_t sockets_per_user = 10;  // of this process; more: 4029
  std::size_t channels = 100;         // of one socket
  std::size_t message_bytes = 64 * 1024;
  std::size_t queue_bytes = 1024 * 1024;  // of frames that a reader has not taken; more: 1013
  std::int64_t ping_ms = 25'000;          // multiplexed sockets
  std::int64_t notification_ping_ms = 30'000;
  std::int64_t probe_ms = 30'000;   // ping frames, on sockets without {type: ping}
  std::int64_t idle_ms = 60'000;    // nothing heard: closed
  std::int64_t silent_ms = 90'000;  // the same, where nothing but the answers to pings is expected
  std::int64_t token_warning_ms = 300'000;
  std::int64_t opening_ms = 10'000;  // for handshake and sign-in
  std::int64_t closing_ms = 2'000;   // for the other side to say that it closes, too
  // Messages of a client: so many at once, and so many a second on average; more: 1008.
  std::int64_t burst_messages = 300;
  std::int64_t messages_per_s = 50;
  // A replay reads so many records at most, or finds so many notifications: REPLAY_TOO_FAR.
  std::uint64_t replay_records = 50'000;
  std::size_t replay_notifications = 1'000;
  // So long the feed may take to a place that a client has from another node.
  std::int64_t awaited_ms = 10'000;
};

}  // namespace annolog::api::realtime
