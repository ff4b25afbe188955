// What a client says on the multiplexed socket, and what comes of it.
#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/blocking.hpp"
#include "api/read_refusals.hpp"
#include "api/realtime/socket.hpp"
#include "commands/command.hpp"

namespace annolog::api::realtime {
namespace {

// What a client calls a channel is told back only if it may be one's name.
constexpr std::size_t kNameBytes = 64;

std::string_view told_back(const std::string& channel) {
  return channel.size() <= kNameBytes ? std::string_view(channel) : std::string_view();
}

// Of a channel whose frames come from one shard the position must name that one.
std::optional<Cursor> cursor_of(const std::string& token, const Channel& channel,
                                commands::ShardId home, std::uint16_t shards) {
  const auto positions = parse_position_token(token, shards);
  if (!positions) return std::nullopt;
  const bool names_home = std::ranges::any_of(
      *positions, [home](const auto& position) { return position.shard == home; });
  if (!rule_of(channel).from_all_shards && !names_home) return std::nullopt;
  return Cursor(*positions);
}

}  // namespace

// So many at once, and so many a second on average.
bool Socket::may_speak() {
  const RealtimeOptions& options = hub_.parts().options;
  const std::int64_t earned = (now_ms() - refilled_ms_) * options.messages_per_s / 1000;
  if (earned > 0) {
    messages_left_ = std::min(options.burst_messages, messages_left_ + earned);
    refilled_ms_ = now_ms();
  }
  return messages_left_-- > 0;
}

awaitable<void> Socket::hear(std::string text) {
  if (!may_speak()) co_return end(kPolicy, "too many messages");
  ClientMessage message = client_message_of(text);
  std::string().swap(text);
  if (auto* wish = std::get_if<Subscribe>(&message)) co_return co_await subscribe(std::move(*wish));
  if (auto* wish = std::get_if<Reauth>(&message)) co_return co_await reauth(std::move(*wish));
  if (const auto* wish = std::get_if<Unsubscribe>(&message)) co_return unsubscribe(*wish);
  if (const auto* what = std::get_if<Misunderstood>(&message)) send(error_text("", what->code));
}

awaitable<void> Socket::subscribe(Subscribe wish) {
  const auto& parts = hub_.parts();
  const auto refuse = [&](std::string_view code) {
    send(error_text(told_back(wish.channel), code));
  };
  const auto channel = channel_of(wish.channel);
  if (!channel) co_return refuse("UNKNOWN_CHANNEL");
  std::optional<Cursor> after;
  if (wish.after) {
    after = cursor_of(*wish.after, *channel, commands::shard_of(channel->id, parts.shards),
                      parts.shards);
    if (!after) co_return refuse("INVALID_POSITION");
  }
  const bool has_it = subscriptions_.contains(*channel);
  if (!has_it && subscriptions_.size() >= parts.options.channels)
    co_return refuse("TOO_MANY_CHANNELS");
  const auto project = co_await parts.rights.admit(holder_->caller, *channel);
  if (ended_) co_return;
  if (!project) co_return refuse(project.assume_error().code);
  const auto before = subscriptions_.find(*channel);
  if (before != subscriptions_.end() && !after)  // begun anew, it would miss what is on its way
    co_return send(subscribed_text(name_of(*channel), before->second.from));
  stop(*channel);
  start(*channel, project.assume_value(), after);
}

void Socket::unsubscribe(const Unsubscribe& wish) {
  const auto channel = channel_of(wish.channel);
  if (!channel) return send(error_text(told_back(wish.channel), "UNKNOWN_CHANNEL"));
  stop(*channel);
  send(unsubscribed_text(wish.channel));
}

awaitable<void> Socket::reauth(Reauth wish) {
  Presented shown;
  shown.token = std::move(wish.token);
  shown.address = holder_->caller.address;
  if (shown.empty()) co_return end(rule_.token_invalid, "a token is needed");
  auto holder = co_await hub_.parts().door.admit(shown);
  if (ended_) co_return;
  if (!holder) {
    const DomainError& why = holder.assume_error();
    if (why.kind != DomainError::Kind::unavailable) co_return end(rule_.token_invalid, why.code);
    co_return send(error_text("", why.code));  // the token before counts as long as it lives
  }
  if (holder.assume_value().caller.id != holder_->caller.id)
    co_return end(rule_.token_invalid, "the token of another user");
  const auto expires_at = holder.assume_value().expires_at;
  const std::int64_t left_ms = expires_at ? *expires_at - hub_.parts().clock.now() : 0;
  send(reauthenticated_text(std::max<std::int64_t>(0, left_ms / 1000)));
  remember(std::move(holder).assume_value());
  judge();
}

// The answer goes before the first frame. Live frames come from where the feed is now; what was
// missed before is read again, and the live ones are left out until that is done.
void Socket::start(const Channel& channel, ProjectId project, const std::optional<Cursor>& after) {
  const auto home = commands::shard_of(channel.id, hub_.parts().shards);
  const Cursor live = hub_.parts().interest.listen(channel, home);
  room_.listen(channel, *this);
  Subscription& subscription = subscriptions_[channel];
  subscription = {
      .project = project, .home = home, .from = after.value_or(live), .number = ++begun_};
  if (after) {
    const auto near = hub_.parts().missed.check_distance(channel, *after, live);
    if (!near) {
      stop(channel);
      return send(error_text(name_of(channel), near.assume_error().code));
    }
    subscription.replaying = true;
    if (!live.covers(*after)) subscription.awaits_since_ms = now_ms();
  }
  if (rule_.multiplexed) send(subscribed_text(name_of(channel), subscription.from));
  if (!after || std::exchange(replaying_, true)) return;
  boost::asio::co_spawn(
      room_.executor(), [self = shared_from_this()] { return self->replay(); },
      boost::asio::detached);
}

void Socket::stop(const Channel& channel) {
  const auto found = subscriptions_.find(channel);
  if (found == subscriptions_.end()) return;
  hub_.parts().interest.leave(channel, found->second.home);
  room_.stop_listening(channel, *this);
  subscriptions_.erase(found);
}

// One channel after the other, so that the slices in memory and in the queue are those of one.
awaitable<void> Socket::replay() {
  const auto self = shared_from_this();
  const auto next = [this] {
    return std::ranges::find_if(subscriptions_,
                                [](const auto& each) { return each.second.replaying; });
  };
  for (auto found = next(); !ended_ && found != subscriptions_.end(); found = next()) {
    const Channel channel = found->first;
    const auto failure = co_await replay_slice(channel, found->second);
    if (failure) {
      stop(channel);
      send(error_text(name_of(channel), *failure));
    }
    co_await wait_for_reader();
  }
  replaying_ = false;
}

// Frames that come meanwhile are left out: they lie in the log, behind what this slice reads or in
// the next one. Once nothing was left out since the feed's place was asked for, all that comes
// later comes live.
awaitable<std::optional<std::string>> Socket::replay_slice(Channel channel, Subscription& begun) {
  const auto& parts = hub_.parts();
  begun.missed = false;
  const std::uint64_t number = begun.number;
  const Cursor after = begun.from;
  const Cursor upto = parts.interest.claimed(channel, begun.home);
  const auto slice = co_await http::blocking(parts.replay_threads,
                                             [&] { return read_again(channel, after, upto); });
  // Given up meanwhile, or begun anew.
  const auto found = subscriptions_.find(channel);
  if (ended_ || found == subscriptions_.end() || found->second.number != number)
    co_return std::nullopt;
  if (!slice) co_return slice.assume_error().code;
  for (const Delivery& each : slice.assume_value().deliveries) {
    hub_.metrics().replayed.add();
    send_frame(each);
  }
  Subscription& subscription = found->second;
  subscription.from.advance(slice.assume_value().reached);
  subscription.replaying = !slice.assume_value().complete || subscription.missed;
  co_return std::nullopt;
}

// Blocking.
Result<Missed::Slice> Socket::read_again(const Channel& channel, const Cursor& after,
                                         const Cursor& upto) const {
  try {
    return hub_.parts().missed.next(channel, after, upto);
  } catch (const std::exception& error) {
    hub_.parts().logger.warn("a replay broke off",
                             {{"channel", name_of(channel)}, {"error", error.what()}});
    return reads_away();
  }
}

// A replay takes half of the queue at most: what is live goes on, and a slow reader is waited for.
awaitable<void> Socket::wait_for_reader() {
  while (!ended_ && queued_bytes_ > hub_.parts().options.queue_bytes / 2) {
    boost::system::error_code ignored;
    co_await reader_took_some_.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
}

}  // namespace annolog::api::realtime
