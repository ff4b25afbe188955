// What sockets send, as JSON text: frames of channels, each made once and shared by all who get it,
// and what the service says itself. Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/realtime/channel.hpp"
#include "api/realtime/cursor.hpp"

namespace annolog::api::realtime {

// A frame before it is sent: what happened on a channel.
struct Frame {
  std::string type;
  std::string data;  // JSON, an object
  // What the channel's own socket sends instead of {channel, type, data}; empty: the data.
  std::string bare = {};
  bool last = false;  // nothing comes behind it: the channel's own socket ends
};

// As sent: the multiplexed sockets get `wrapped`, the channel's own socket gets `bare`.
struct FrameText {
  std::string wrapped;
  std::string bare;
  bool last = false;
};

// `reached`: what a client that has it may name as `after`.
std::shared_ptr<const FrameText> frame_text(const Channel& channel, Frame frame,
                                            const Cursor& reached);

using Text = std::shared_ptr<const std::string>;

Text ping_text();  // {"type":"ping"}, the same for all
// `reached`: frames come from there on, or from `after` if that was named.
Text subscribed_text(std::string_view channel, const Cursor& reached);
Text unsubscribed_text(std::string_view channel);
// `channel` is empty where the error is about none.
Text error_text(std::string_view channel, std::string_view code);
Text token_expiring_text(std::int64_t expires_in_s);
Text reauthenticated_text(std::int64_t expires_in_s);

}  // namespace annolog::api::realtime
