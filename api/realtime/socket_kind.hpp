// The five sockets of the specification and what sets them apart ("Channels and sockets"). Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace annolog::api::realtime {

// RFC 6455, section 7.4, and those of the specification from 4000 on.
enum CloseCode : std::uint16_t {
  kDone = 1000,
  kGoingAway = 1001,
  kPolicy = 1008,
  kTryLater = 1013,
  kTokenMissing = 4001,
  kTokenInvalid = 4003,
  kTooManyOfUser = 4029,
};

enum class SocketKind : std::uint8_t {
  multiplexed,
  notifications,
  preannotate,
  tracker_job,
  prediction_jobs,
};

struct SocketRule {
  SocketKind kind;
  std::string_view name;  // as the metrics have it
  // Takes messages, sends {channel, type, data}, and closes when nothing is heard. Else it sends
  // what its one channel has, bare.
  bool multiplexed;
  bool pings;         // sends {type: ping}; else ping frames, which programs don't see
  bool takes_cookie;  // of a browser that is signed in, from the service's own pages
  CloseCode token_missing;
  CloseCode token_invalid;
};

const SocketRule& rule_of(SocketKind kind);

}  // namespace annolog::api::realtime
