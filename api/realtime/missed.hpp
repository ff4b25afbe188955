// What somebody has missed on a channel, read again: from the log, notifications from their read
// model. Blocking; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "api/realtime/log_frames.hpp"
#include "api/realtime/notification_source.hpp"
#include "api/realtime/realtime_options.hpp"
#include "domain/support/result.hpp"

namespace annolog::api::realtime {

class Missed {
 public:
  struct Parts {
    const RealtimeOptions& options;
    ReadRecords read;
    const FrameSource& frames;
    NotificationSource& notifications;
    platform::Logger& logger;
  };
  explicit Missed(Parts parts) : parts_(std::move(parts)) {}

  // Some of what lies behind `after`, up to `upto`, which names the channel's shards.
  struct Slice {
    std::vector<Delivery> deliveries;
    Cursor reached;  // go on from here
    bool complete = false;
  };
  Result<Slice> next(const Channel& channel, const Cursor& after, const Cursor& upto) const;
  // 410 REPLAY_TOO_FAR: so much that the caller had better read everything anew.
  Result<void> check_distance(const Channel& channel, const Cursor& after,
                              const Cursor& upto) const;

 private:
  Result<Slice> next_of_log(const Channel& channel, const Cursor& after, const Cursor& upto) const;
  Result<Slice> notifications_since(const Channel& channel, const Cursor& after,
                                    const Cursor& upto) const;
  const Parts parts_;
};

// Of one user's, in their order: each says where a client that has it has come to.
std::vector<Delivery> deliveries_of(std::span<const NewNotification> notifications, Cursor reached);

}  // namespace annolog::api::realtime
