#include "api/realtime/log_frames.hpp"

#include <algorithm>
#include <utility>

#include "domain/support/number.hpp"

namespace annolog::api::realtime {
namespace {

std::vector<EventFrame> frames_or_none(const eventstore::Record& record, const FrameSource& source,
                                       platform::Logger& logger) {
  try {
    return source.frames_of(record);
  } catch (const std::exception& error) {
    logger.error("an event makes no frames", {{"shard", record.position.shard.value},
                                              {"offset", record.position.offset.value},
                                              {"error", error.what()}});
    return {};
  }
}

// What a listener has once a frame that stands there came.
Cursor position_on(const Channel& channel, const Cursor& reached, const Cursor& there) {
  if (!rule_of(channel).from_all_shards) return there;
  Cursor position = reached;
  position.advance(there);
  return position;
}

}  // namespace

std::int64_t task_of(const eventstore::Record& record) {
  constexpr std::string_view kTask = "task/";
  const std::string_view subject = record.headers.subject;
  return subject.starts_with(kTask) ? id_number(subject.substr(kTask.size())) : 0;
}

Cursor before(commands::Position at) {
  return Cursor({{at.shard, commands::Offset{at.offset.value - 1}}});
}

void add_frames_of(const eventstore::Record& record, const FrameSource& source,
                   const Wanted& wanted, const Cursor& reached, platform::Logger& logger,
                   std::vector<Delivery>& deliveries) {
  auto frames = frames_or_none(record, source, logger);
  std::erase_if(frames, [&](const EventFrame& each) { return !wanted(each.channel); });
  const Cursor here({record.position});
  const Cursor earlier = before(record.position);
  for (auto each = frames.begin(); each != frames.end(); ++each) {
    const bool is_last = std::none_of(
        each + 1, frames.end(), [&](const auto& next) { return next.channel == each->channel; });
    const Cursor position = position_on(each->channel, reached, is_last ? here : earlier);
    deliveries.push_back({each->channel, record.position,
                          frame_text(each->channel, std::move(each->frame), position)});
  }
}

}  // namespace annolog::api::realtime
