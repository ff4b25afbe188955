#include "api/realtime/frames.hpp"

#include <utility>

#include "domain/codec/json/json_writer.hpp"

namespace annolog::api::realtime {
namespace {

void put(std::string& out, std::string_view name, std::string_view text) {
  out += out.empty() ? "{\"" : ",\"";
  out += name;
  out += "\":";
  codec::write_json_string(out, text);
}

Text closed(std::string out) {
  out += '}';
  return std::make_shared<const std::string>(std::move(out));
}

Text of_type(std::string_view type, std::string_view channel) {
  std::string out;
  put(out, "type", type);
  put(out, "channel", channel);
  return closed(std::move(out));
}

Text with_seconds(std::string_view type, std::int64_t seconds) {
  std::string out;
  put(out, "type", type);
  out += ",\"expires_in\":" + std::to_string(seconds);
  return closed(std::move(out));
}

}  // namespace

std::shared_ptr<const FrameText> frame_text(const Channel& channel, Frame frame,
                                            const Cursor& reached) {
  std::string wrapped;
  put(wrapped, "channel", name_of(channel));
  put(wrapped, "type", frame.type);
  wrapped += ",\"data\":";
  wrapped += frame.data;
  put(wrapped, "position", reached.token());
  wrapped += '}';
  auto text = std::make_shared<FrameText>();
  text->wrapped = std::move(wrapped);
  text->bare = frame.bare.empty() ? std::move(frame.data) : std::move(frame.bare);
  text->last = frame.last;
  return text;
}

Text ping_text() {
  static const Text kPing = std::make_shared<const std::string>(R"({"type":"ping"})");
  return kPing;
}

Text subscribed_text(std::string_view channel, const Cursor& reached) {
  std::string out;
  put(out, "type", "subscribed");
  put(out, "channel", channel);
  put(out, "position", reached.token());
  return closed(std::move(out));
}

Text unsubscribed_text(std::string_view channel) { return of_type("unsubscribed", channel); }

Text error_text(std::string_view channel, std::string_view code) {
  std::string out;
  put(out, "type", "error");
  if (!channel.empty()) put(out, "channel", channel);
  put(out, "code", code);
  return closed(std::move(out));
}

Text token_expiring_text(std::int64_t expires_in_s) {
  return with_seconds("token-expiring", expires_in_s);
}

Text reauthenticated_text(std::int64_t expires_in_s) {
  return with_seconds("reauthenticated", expires_in_s);
}

}  // namespace annolog::api::realtime
