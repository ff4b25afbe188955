#include "api/realtime/socket.hpp"

#include <algorithm>
#include <utility>

#include "api/read_refusals.hpp"

namespace annolog::api::realtime {

Socket::Socket(Hub& hub, Room& room, http::DetachedConnection connection, Opening opening)
    : hub_(hub),
      room_(room),
      rule_(rule_of(opening.kind)),
      opening_(std::move(opening)),
      ws_(std::move(connection), {.message_bytes = hub.parts().options.message_bytes}),
      reader_took_some_(room.executor(), boost::asio::steady_timer::time_point::max()),
      began_ms_(now_ms()),
      heard_ms_(began_ms_),
      pinged_ms_(began_ms_),
      messages_left_(hub.parts().options.burst_messages),
      refilled_ms_(began_ms_) {
  room_.enter(*this);
  hub_.metrics().open[static_cast<std::size_t>(rule_.kind)].add(1);
}

Socket::~Socket() {
  while (!subscriptions_.empty()) stop(Channel(subscriptions_.begin()->first));
  room_.leave(*this);
  place_.reset();
  hub_.metrics().open[static_cast<std::size_t>(rule_.kind)].add(-1);
  hub_.metrics().dropped.add(static_cast<double>(queue_.size()));
}

std::int64_t Socket::now_ms() const { return hub_.parts().clock.monotonic_ms(); }

// A weak pointer: what the stream still does when this has ended is nobody's business.
awaitable<void> Socket::run() {
  const auto self = shared_from_this();
  ws_.on_control([weak = weak_from_this()] {
    if (const auto here = weak.lock()) here->heard_ms_ = here->now_ms();
  });
  if (!co_await ws_.accept()) co_return;
  co_await open();
  // Also when it has ended: the other side's answer is read, for a while.
  while (auto message = co_await ws_.read()) {
    heard_ms_ = now_ms();
    if (!ended_ && rule_.multiplexed) co_await hear(std::move(*message));
  }
  ended_ = true;  // a replay under way ends
  reader_took_some_.cancel();
}

awaitable<void> Socket::open() {
  open_ = true;
  if (hub_.stopping()) co_return end(kGoingAway, "the service stops");
  if (opening_.shown.empty()) co_return end(rule_.token_missing, "a token is needed");
  auto holder = co_await hub_.parts().door.admit(opening_.shown);
  opening_.shown = {};
  if (ended_) co_return;
  if (!holder) {
    const bool later = holder.assume_error().kind == DomainError::Kind::unavailable;
    co_return end(later ? kTryLater : rule_.token_invalid, holder.assume_error().code);
  }
  // Not before: who shows nothing takes no place from others.
  auto place = hub_.places().take(holder.assume_value().caller.id);
  if (const auto* refused = std::get_if<CloseCode>(&place)) {
    co_return end(*refused,
                  *refused == kTooManyOfUser ? "too many sockets of one user" : "too many sockets");
  }
  place_.emplace(std::get<SocketPlaces::Place>(std::move(place)));
  remember(std::move(holder).assume_value());
  co_await listen_to_own_channel();
}

std::optional<Channel> Socket::own_channel() const {
  switch (rule_.kind) {
    case SocketKind::multiplexed: break;
    case SocketKind::notifications: return Channel{Channel::Kind::notify, holder_->caller.id.value};
    case SocketKind::preannotate: return Channel{Channel::Kind::preannotate, opening_.id};
    case SocketKind::tracker_job: return Channel{Channel::Kind::tracker_job, opening_.id};
    case SocketKind::prediction_jobs: return Channel{Channel::Kind::prediction_jobs, 0};
  }
  return std::nullopt;
}

awaitable<void> Socket::listen_to_own_channel() {
  const auto own = own_channel();
  if (!own) co_return;
  const Channel channel = *own;
  const auto project = co_await hub_.parts().rights.admit(holder_->caller, channel);
  if (ended_) co_return;
  if (project) co_return start(channel, project.assume_value(), std::nullopt);
  refuse_own_channel(project.assume_error());
}

void Socket::refuse_own_channel(const DomainError& why) {
  end(why.kind == DomainError::Kind::unavailable ? kTryLater : kPolicy, why.code);
}

void Socket::remember(Holder holder) {
  holder_ = std::move(holder);
  warned_ = false;
  look_at_token();
}

// Whatever waits for a token: the warning, then the end. A key can't be followed by another one, so
// its holder is not warned.
void Socket::look_at_token() {
  if (!holder_ || !holder_->expires_at || ended_) return;
  const std::int64_t left_ms = *holder_->expires_at - hub_.parts().clock.now();
  if (left_ms <= 0) return end(rule_.token_invalid, "the token has expired");
  if (!rule_.multiplexed || warned_ || holder_->caller.by_api_key) return;
  if (left_ms > hub_.parts().options.token_warning_ms) return;
  warned_ = true;
  send(token_expiring_text((left_ms + 999) / 1000));
}

void Socket::look_at_time() {
  const RealtimeOptions& options = hub_.parts().options;
  const std::int64_t now = now_ms();
  const bool opened_late = now - began_ms_ > options.opening_ms;
  if (!open_) {
    if (opened_late) ws_.abort();
    return;
  }
  if (ended_) {
    if (now - ended_ms_ > options.closing_ms) ws_.abort();
    return;
  }
  if (!holder_ && opened_late) return end(kTryLater, "signing in took too long");
  const std::int64_t silent_ms = rule_.multiplexed ? options.idle_ms : options.silent_ms;
  if (now - heard_ms_ > silent_ms) return end(kGoingAway, "nothing was heard");
  const std::int64_t ping_ms = !rule_.pings        ? options.probe_ms
                               : rule_.multiplexed ? options.ping_ms
                                                   : options.notification_ping_ms;
  if (now - pinged_ms_ >= ping_ms) {
    pinged_ms_ = now;
    if (rule_.pings) send(ping_text());
    // Where no answer to {type: ping} is asked for, a ping frame finds out who is gone.
    if (!rule_.multiplexed) ws_.ping();
  }
  look_at_token();
  look_at_awaited(now);
}

// A client may know more than this node for a moment; a place that is still to come after that is
// of no log that this one is, and its frames would never come.
void Socket::look_at_awaited(std::int64_t now) {
  std::vector<Channel> lost;
  for (auto& [channel, subscription] : subscriptions_) {
    if (!subscription.awaits_since_ms) continue;
    if (hub_.parts().interest.claimed(channel, subscription.home).covers(subscription.from))
      subscription.awaits_since_ms.reset();
    else if (now - *subscription.awaits_since_ms > hub_.parts().options.awaited_ms)
      lost.push_back(channel);
  }
  for (const Channel& channel : lost) {
    stop(channel);
    send(error_text(name_of(channel), read_model_behind().code));
  }
}

void Socket::judge_again(const Affected& affected) {
  if (!holder_ || ended_) return;
  const bool listens = std::ranges::any_of(subscriptions_, [&](const auto& each) {
    return affected.project && each.second.project == affected.project;
  });
  if (listens || affected.user == holder_->caller.id) judge();
}

void Socket::judge() {
  const auto role = hub_.parts().door.still_admits(*holder_);
  if (!role) return end(rule_.token_invalid, "the session has ended");
  holder_->caller.role = *role;
  std::vector<Channel> lost;
  for (const auto& [channel, subscription] : subscriptions_) {
    if (!hub_.parts().rights.allows(holder_->caller, channel, subscription.project))
      lost.push_back(channel);
  }
  for (const Channel& channel : lost) {
    if (channel == own_channel()) return end(kPolicy, "the channel may not be seen any more");
    stop(channel);
    send(error_text(name_of(channel), "FORBIDDEN"));
  }
}

void Socket::end(CloseCode code, std::string_view why) {
  if (!open_ && hub_.stopping()) return;  // told as soon as it is open
  if (std::exchange(ended_, true)) return;
  ended_ms_ = now_ms();
  hub_.metrics().closed(code);
  hub_.metrics().dropped.add(static_cast<double>(queue_.size()));
  queue_.clear();
  reader_took_some_.cancel();
  if (open_) {
    ws_.close(code, why);
  } else {
    ws_.abort();
  }
}

void Socket::deliver(const Delivery& delivery) {
  const auto found = subscriptions_.find(delivery.channel);
  if (found == subscriptions_.end() || ended_) return;
  Subscription& subscription = found->second;
  if (subscription.from.covers(delivery.at)) return;
  if (subscription.replaying) {
    subscription.missed = true;
  } else {
    send_frame(delivery);
  }
}

void Socket::send_frame(const Delivery& delivery) {
  const auto& text = delivery.text;
  hub_.metrics().sent.add();
  // The text lives as long as its frame, which all listeners share.
  send(Text(text, rule_.multiplexed ? &text->wrapped : &text->bare));
  if (!rule_.multiplexed && text->last) {
    last_sent_ = true;
    finish_when_sent();
  }
}

void Socket::send(Text text) {
  if (ended_ || last_sent_) return;
  queued_bytes_ += text->size();
  queue_.push_back(std::move(text));
  if (queued_bytes_ > hub_.parts().options.queue_bytes)
    return end(kTryLater, "the reader is too slow");
  write_next();
}

void Socket::write_next() {
  if (writing_ || queue_.empty()) return;
  writing_ = true;
  Text text = std::move(queue_.front());
  queue_.pop_front();
  const std::size_t bytes = text->size();
  ws_.write(std::move(text), [weak = weak_from_this(), bytes](bool written) {
    const auto self = weak.lock();
    if (!self) return;
    self->writing_ = false;
    self->queued_bytes_ -= bytes;
    self->reader_took_some_.cancel();
    if (!written) return;
    self->write_next();
    self->finish_when_sent();
  });
}

void Socket::finish_when_sent() {
  if (last_sent_ && queue_.empty() && !writing_) end(kDone, "that was all");
}

}  // namespace annolog::api::realtime
