#include "api/realtime/missed.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "api/read_refusals.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api::realtime {
namespace {

constexpr std::size_t kMissedRecordsAtOnce = 500;
// A slice ends behind the record that brings it here: queues of readers are short.
constexpr std::size_t kSliceBytes = 256 * 1024;

DomainError too_far() {
  return {DomainError::Kind::gone,
          "REPLAY_TOO_FAR",
          "Too much has happened since; read everything anew.",
          {},
          {},
          0};
}

bool may_concern(const Channel& channel, const eventstore::Record& record,
                 const FrameSource& frames) {
  const ChannelKinds kinds = frames.kinds_of(record.headers.type);
  if (kinds == ChannelKinds{Channel::Kind::task_lock} && task_of(record) != channel.id)
    return false;
  return kinds.has(channel.kind);
}

// How many of them one slice holds; those of one event are not parted.
std::size_t fitting_in_slice(std::span<const NewNotification> found) {
  std::size_t fits = 0;
  for (std::size_t bytes = 0; fits < found.size() && bytes <= kSliceBytes; ++fits)
    bytes += found[fits].json.size();
  while (fits > 0 && fits < found.size() && found[fits].position == found[fits - 1].position)
    ++fits;
  return fits;
}

}  // namespace

std::vector<Delivery> deliveries_of(std::span<const NewNotification> notifications,
                                    Cursor reached) {
  std::vector<Delivery> deliveries;
  for (std::size_t i = 0; i < notifications.size(); ++i) {
    const NewNotification& each = notifications[i];
    // Of several of one event only the last one says that all are there.
    const bool more =
        i + 1 < notifications.size() && notifications[i + 1].position == each.position;
    reached.advance(more ? before(each.position) : Cursor({each.position}));
    const Channel channel{Channel::Kind::notify, each.user_id.value};
    deliveries.push_back(
        {channel, each.position, frame_text(channel, {each.type, each.json}, reached)});
  }
  return deliveries;
}

Result<void> Missed::check_distance(const Channel& channel, const Cursor& after,
                                    const Cursor& upto) const {
  if (channel.kind == Channel::Kind::notify) return success();  // they are counted when read
  std::uint64_t records = 0;
  for (const auto& end : upto.positions()) {
    const auto from = after.at(end.shard);
    if (from < end.offset) records += end.offset.value - from.value;
  }
  if (records > parts_.options.replay_records) return too_far();
  return success();
}

Result<Missed::Slice> Missed::next(const Channel& channel, const Cursor& after,
                                   const Cursor& upto) const {
  if (channel.kind == Channel::Kind::notify) return notifications_since(channel, after, upto);
  return next_of_log(channel, after, upto);
}

Result<Missed::Slice> Missed::next_of_log(const Channel& channel, const Cursor& after,
                                          const Cursor& upto) const {
  Slice slice{.deliveries = {}, .reached = after, .complete = true};
  const auto behind =
      std::ranges::find_if(upto.positions(), [&](const auto& end) { return !after.covers(end); });
  if (behind == upto.positions().end()) return slice;
  slice.complete = false;  // the next call finds out
  const Wanted wanted = [&](const Channel& each) { return each == channel; };
  const auto records = parts_.read(behind->shard, after.at(behind->shard), kMissedRecordsAtOnce);
  if (records.empty()) return read_model_behind();
  std::size_t bytes = 0;
  for (const auto& record : records) {
    if (record.position.offset > behind->offset || bytes > kSliceBytes) break;
    const std::size_t had = slice.deliveries.size();
    if (may_concern(channel, record, parts_.frames))
      add_frames_of(record, parts_.frames, wanted, slice.reached, parts_.logger, slice.deliveries);
    for (std::size_t i = had; i < slice.deliveries.size(); ++i)
      bytes += slice.deliveries[i].text->wrapped.size();
    slice.reached.advance(record.position);
  }
  return slice;
}

Result<Missed::Slice> Missed::notifications_since(const Channel& channel, const Cursor& after,
                                                  const Cursor& upto) const {
  const std::size_t most = parts_.options.replay_notifications;
  std::vector<NewNotification> found;
  try {
    found = parts_.notifications.of_user_since(UserId{channel.id}, after, upto, most);
  } catch (const projections::ReadUnavailable&) {
    return reads_away();
  }
  if (found.size() > most) return too_far();
  // Those behind `upto` come live.
  std::erase_if(found, [&](const auto& each) { return !upto.covers(each.position); });
  const std::span fitting(found.data(), fitting_in_slice(found));
  Slice slice{.deliveries = deliveries_of(fitting, after),
              .reached = after,
              .complete = fitting.size() == found.size()};
  for (const NewNotification& each : fitting) slice.reached.advance(each.position);
  if (slice.complete) slice.reached.advance(upto);
  return slice;
}

}  // namespace annolog::api::realtime
