// The change feed as Server-Sent Events.
#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/change_feed.hpp"

namespace annolog::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHeartbeat{15};
constexpr std::chrono::milliseconds kBetweenPages{100};  // events of a busy project gather
constexpr std::chrono::seconds kWhenAway{1};
constexpr std::int64_t kRetryMs = 2'000;
constexpr std::int64_t kStreamBytes = 256 * 1024;  // held for a slow reader, of hundreds

class EventStream {
 public:
  EventStream(Call& call, Services& services, FeedReader::From from)
      : call_(call), services_(services), reader_(call, services, std::move(from)) {}

  awaitable<void> run(http::BodyWriter& out) {
    co_await out.write(sse_retry(kRetryMs));
    while (!services_.stopping) {
      const auto asked_at = Clock::now();
      const auto page = co_await reader_.next();
      // Judged by what is known of the caller when the page was read, or later.
      if (!co_await may_see(out)) co_return;
      if (page) co_await show(page.value(), out);
      if (page && !page.value().caught_up) continue;
      if (!co_await wait(page ? asked_at + kBetweenPages : Clock::now() + kWhenAway, out))
        co_return;
    }
  }

 private:
  awaitable<void> show(const FeedPage& page, http::BodyWriter& out) {
    if (page.items.empty()) co_return;
    for (const PublicEventView& event : page.items) co_await out.write(sse_message(event));
    co_await out.flush();
    told_ = page.items.back().position;
    beat_at_ = Clock::now() + kHeartbeat;
  }

  // A page that was read is held back until somebody can judge. False: the stream is to end.
  awaitable<bool> may_see(http::BodyWriter& out) {
    while (!services_.stopping) {
      const auto judged = co_await reader_.may_see();
      if (!judged) co_return false;
      if (judged.value()) co_return true;
      co_await rest_until(Clock::now() + kWhenAway);
      if (Clock::now() >= beat_at_) co_await beat(out, told_);
    }
    co_return false;
  }

  awaitable<void> rest_until(Clock::time_point until) {
    boost::asio::steady_timer timer(call_.executor(), until);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }

  // Until there is something to read, not before `least`. False: the stream is to end.
  awaitable<bool> wait(Clock::time_point least, http::BodyWriter& out) {
    if (Clock::now() < least) co_await rest_until(least);
    while (!services_.stopping) {
      if (co_await reader_.something(beat_at_)) co_return true;
      if (services_.stopping || !co_await reader_.may_see()) co_return false;
      if (Clock::now() >= beat_at_) co_await beat(out, reader_.position());
    }
    co_return false;
  }

  // `position`: all before it has been shown.
  awaitable<void> beat(http::BodyWriter& out, std::string position) {
    co_await out.write(told_ == position ? sse_heartbeat() : sse_heartbeat(position));
    co_await out.flush();
    told_ = std::move(position);
    beat_at_ = Clock::now() + kHeartbeat;
  }

  Call& call_;
  Services& services_;
  FeedReader reader_;
  std::string told_;  // the position that the client has
  Clock::time_point beat_at_ = Clock::now() + kHeartbeat;
};

}  // namespace

http::Reply event_stream(Call& call, Services& services, FeedReader::From from,
                         std::shared_ptr<const void> place) {
  from.bytes = kStreamBytes;
  const auto stream = std::make_shared<EventStream>(call, services, std::move(from));
  return http::stream("text/event-stream", [stream, place = std::move(place)](
                                               http::BodyWriter& out) { return stream->run(out); })
      .header("Cache-Control", "no-store")
      .header("X-Accel-Buffering", "no");  // nginx passes on what comes as it comes
}

}  // namespace annolog::api
