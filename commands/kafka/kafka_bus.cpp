#include "commands/kafka/kafka_bus.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>
#include <vector>

#include "commands/group.hpp"
#include "commands/kafka/envelope_message.hpp"
#include "commands/wire/outcome_json.hpp"
#include "domain/codec/json/codec_error.hpp"
#include "domain/support/number.hpp"
#include "platform/named_thread.hpp"
#include "platform/random.hpp"

namespace annolog::commands {
namespace {

namespace kafka = eventstore::kafka;

constexpr std::chrono::milliseconds kStartTime{10'000};
constexpr std::chrono::milliseconds kSendTime{10'000};
constexpr std::chrono::milliseconds kNewsWait{500};
constexpr int kServeMs = 100;
constexpr std::size_t kTakeAtOnce = 500;
constexpr std::size_t kLifeSize = 8;

DomainError not_taken(const std::string& why) {
  return {DomainError::Kind::unavailable,
          "EVENT_LOG_UNAVAILABLE",
          "The event log does not answer; nothing was written (" + why + ").",
          {},
          {},
          1};
}

DomainError too_large() {
  return {DomainError::Kind::too_large,
          "COMMAND_TOO_LARGE",
          "The request is larger than the event log takes at once; send it in parts.",
          {},
          {},
          0};
}

}  // namespace

DomainError outcome_unknown() {
  return {DomainError::Kind::unavailable,
          "OUTCOME_UNKNOWN",
          "The event log did not say in time whether this was done. Ask again with the same "
          "Idempotency-Key: it gives the real outcome.",
          {},
          {},
          2};
}

KafkaBus::KafkaBus(KafkaBusOptions options, const platform::Clock& clock, platform::Logger& logger,
                   platform::Metrics& metrics)
    : options_(std::move(options)),
      topics_(options_.topic_prefix),
      id_prefix_(fmt::format("{}/{}/", options_.node, platform::random_base62(kLifeSize))),
      clock_(clock),
      logger_(logger),
      sent_(metrics.counter({"commands_sent_total", "Commands sent to the event log"})),
      unknown_(metrics.counter(
          {"commands_unknown_total", "Commands whose outcome was not known in time"})),
      reply_partition_(
          static_cast<std::int32_t>(std::hash<std::string>{}(options_.node) % options_.shards)),
      sender_(options_.connection, kSendTime,
              [this](std::uint64_t number, kafka::Sent sent, const std::string& why) {
                if (sent != kafka::Sent::yes) give_up(number, sent, why);
              }) {}

KafkaBus::~KafkaBus() { stop(); }

void KafkaBus::start() {
  const kafka::Deadline deadline = kafka::after(kStartTime);
  sender_.start(topics_.commands, deadline);
  kafka::ReaderOptions reading;
  reading.news_wait = kNewsWait;
  replies_ = std::make_unique<kafka::TopicReader>(options_.connection, topics_.replies, reading);
  // What is there now belongs to those who ran before.
  replies_->start_together(reply_partition_, replies_->end(reply_partition_, deadline));
  open_ = true;
  reply_thread_ = platform::named_thread("replies", [this] { read_replies(); });
  deadline_thread_ = platform::named_thread("deadlines", [this] { watch_deadlines(); });
}

void KafkaBus::stop() {
  std::vector<Done> left;
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    for (auto& [number, waiting] : waiting_) left.push_back(std::move(waiting.done));
    waiting_.clear();
    timers_.clear();
  }
  changed_.notify_all();
  sender_.stop();
  for (std::thread* thread : {&reply_thread_, &deadline_thread_})
    if (thread->joinable()) thread->join();
  for (Done& done : left) done({outcome_unknown(), std::nullopt, false, true});
}

std::string KafkaBus::command_id(std::uint64_t number) const {
  return id_prefix_ + std::to_string(number);
}

std::optional<DomainError> KafkaBus::admit(Done done, std::int64_t until_ms,
                                           std::uint64_t& number) {
  const std::lock_guard guard(mutex_);
  if (stopping_ || !open_) return stopping();
  if (waiting_.size() >= options_.waiting_max) return queue_full();
  number = ++last_number_;
  const bool is_first = timers_.empty() || until_ms < timers_.begin()->first;
  waiting_.emplace(number, Waiting{std::move(done), timers_.emplace(until_ms, number)});
  if (is_first) changed_.notify_all();
  return std::nullopt;
}

std::optional<KafkaBus::Done> KafkaBus::take(std::uint64_t number) {
  const std::lock_guard guard(mutex_);
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return std::nullopt;
  Done done = std::move(found->second.done);
  timers_.erase(found->second.timer);
  waiting_.erase(found);
  return done;
}

void KafkaBus::send(Envelope envelope) {
  const std::int64_t until_ms = envelope.deadline_ms != 0
                                    ? envelope.deadline_ms + options_.grace_ms
                                    : clock_.monotonic_ms() + options_.answer_ms;
  if (!envelope.request) {  // then no row can be there, whatever became of the command
    envelope.done = [done = std::move(envelope.done)](Outcome outcome) {
      outcome.recorded = false;
      done(std::move(outcome));
    };
  }
  std::uint64_t number = 0;
  if (auto refused = admit(envelope.done, until_ms, number)) {
    envelope.done({std::move(*refused), std::nullopt, false});
    return;
  }
  envelope.done = nullptr;
  ReceivedCommand command{std::move(envelope),
                          {options_.node, reply_partition_, command_id(number)}};
  if (take_here_ && take_here_(command)) return;
  send_on(command);
}

void KafkaBus::offer_to(std::function<bool(ReceivedCommand& command)> take_here) {
  take_here_ = std::move(take_here);
}

void KafkaBus::send_on(const ReceivedCommand& command) {
  const auto number = number_of(command.from.command_id);
  if (!number) return;
  kafka::Message message =
      to_message(command.envelope, command.from, topics_.commands, options_.shards, clock_);
  std::string why;
  const kafka::Sent sent = sender_.send(std::move(message), *number, why);
  if (sent == kafka::Sent::yes) return sent_.add();
  give_up(*number, sent, why);
}

void KafkaBus::give_up(const std::string& command_id) {
  if (const auto number = number_of(command_id)) give_up(*number, kafka::Sent::unknown, "");
}

void KafkaBus::give_up(std::uint64_t number, kafka::Sent sent, const std::string& why) {
  auto done = take(number);
  if (!done) return;
  switch (sent) {
    case kafka::Sent::too_large: return (*done)({too_large(), std::nullopt, false});
    case kafka::Sent::full: return (*done)({queue_full(), std::nullopt, false});
    case kafka::Sent::no: return (*done)({not_taken(why), std::nullopt, false});
    default: break;
  }
  unknown_.add();
  (*done)({outcome_unknown(), std::nullopt, false, true});
}

// Nothing for those of a former life of this node.
std::optional<std::uint64_t> KafkaBus::number_of(const std::string& id) const {
  if (!id.starts_with(id_prefix_)) return std::nullopt;
  return number_from<std::uint64_t>(std::string_view(id).substr(id_prefix_.size()));
}

void KafkaBus::complete(const std::string& id, Outcome outcome) {
  const auto number = number_of(id);
  if (!number) return;
  if (auto done = take(*number)) (*done)(std::move(outcome));
}

void KafkaBus::read_replies() {
  const auto stopping = [this] {
    const std::lock_guard guard(mutex_);
    return stopping_;
  };
  while (!stopping()) {
    try {
      for (const auto& message : replies_->take_together(kTakeAtOnce, kServeMs))
        read_reply(*message);
    } catch (const std::exception& error) {
      // Those who wait are told by the deadline.
      logger_.warn("replies can't be read", {{"error", error.what()}});
    }
  }
}

void KafkaBus::read_reply(const rd_kafka_message_t& message) {
  try {
    const ReceivedReply reply = to_reply(message);
    if (reply.node == options_.node) complete(reply.command_id, outcome_from_json(reply.outcome));
  } catch (const codec::CodecError& error) {
    // The one who waits is told by the deadline; the others' replies behind it are good.
    logger_.warn("a reply can't be read", {{"error", error.what()}});
  }
}

void KafkaBus::watch_deadlines() {
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    if (timers_.empty()) {
      changed_.wait(guard);
      continue;
    }
    const std::int64_t left_ms = timers_.begin()->first - clock_.monotonic_ms();
    if (left_ms > 0) {
      changed_.wait_for(guard, std::chrono::milliseconds(left_ms));
      continue;
    }
    const std::uint64_t number = timers_.begin()->second;
    guard.unlock();
    if (auto done = take(number)) {
      unknown_.add();
      (*done)({outcome_unknown(), std::nullopt, false, true});
    }
    guard.lock();
  }
}

}  // namespace annolog::commands
