#include "eventstore/kafka/key_follower.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/following.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int32_t kKeysPartition = 0;
constexpr std::chrono::milliseconds kPauseAfterTrouble{500};
constexpr std::size_t kAbsentAtMost = 100'000;

std::string_view bytes_of(const void* bytes, std::size_t size) {
  return {static_cast<const char*>(bytes), size};
}

KeyRecord to_key_record(const rd_kafka_message_t& message) {
  KeyRecord record;
  record.key = bytes_of(message.key, message.key_len);
  if (message.payload != nullptr) record.value = bytes_of(message.payload, message.len);
  rd_kafka_timestamp_type_t type{};
  record.time = TimeMs(std::max<std::int64_t>(0, rd_kafka_message_timestamp(&message, &type)));
  return record;
}

}  // namespace

KeyFollower::KeyFollower(const Connection& connection, const Client& client,
                         const std::string& topic, const KeyFollowerOptions& options,
                         Deadline deadline, std::function<void()> append)
    : connection_(connection),
      client_(client),
      topic_(topic),
      options_(options),
      append_(std::move(append)) {
  load(deadline, deadline);
  next_check_ = after(options_.check_every);
  thread_ = std::thread([this] { run(); });
}

KeyFollower::~KeyFollower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  moved_.notify_all();
  thread_.join();
}

void KeyFollower::load(Deadline answer_by, Deadline read_by) {
  const auto now = std::chrono::system_clock::now();
  const std::int64_t end = end_offset(client_, topic_, kKeysPartition, answer_by);
  KeyFold fold;
  std::int64_t next = 0;
  read_whole(connection_, topic_, kKeysPartition, read_by, [&](const rd_kafka_message_t& message) {
    fold.apply(to_key_record(message));
    next = message.offset + 1;
  });
  reader_ = std::make_unique<TopicReader>(connection_, topic_, kFollowing);
  reader_->start_together(kKeysPartition, next > 0 ? next : RD_KAFKA_OFFSET_BEGINNING);
  {
    const std::lock_guard lock(mutex_);
    fold_ = std::move(fold);
    next_offset_ = next;
    read_again_ = false;
    moved_.notify_all();
  }
  in_touch_at_ = now;
  // Read from a replica that lags, or what lies at the end is not for readers (the mark of a
  // transaction). One more message, once it is here, says that all before it is.
  if (next < end) append_();
}

void KeyFollower::run() {
  while (!stopping_) {
    try {
      const auto silence = std::chrono::system_clock::now() - in_touch_at_;
      if (read_again_ || silence > options_.read_again_after)
        load(after(options_.timeout), after(options_.read_timeout));
      take();
      if (ms_until(next_check_) == 0) check();
    } catch (const std::exception& error) {
      if (connection_.warn) connection_.warn(error.what());
      read_again_ = true;
      std::unique_lock lock(mutex_);
      moved_.wait_for(lock, kPauseAfterTrouble, [this] { return stopping_.load(); });
    }
  }
}

void KeyFollower::take() {
  const auto messages = reader_->take_together(kFollowedAtOnce, kFollowedWaitMs);
  if (messages.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const KafkaMessage& message : messages) fold_.apply(to_key_record(*message));
  next_offset_ = messages.back()->offset + 1;
  moved_.notify_all();
}

void KeyFollower::check() {
  next_check_ = after(options_.check_every);
  const auto now = std::chrono::system_clock::now();
  const std::int64_t end = end_offset(client_, topic_, kKeysPartition, after(options_.timeout));
  bool append = false;
  {
    const std::lock_guard lock(mutex_);
    if (next_offset_ >= end) in_touch_at_ = now;
    append = fold_.awaits_append(std::chrono::floor<TimeMs>(now.time_since_epoch()),
                                 options_.segment_time);
  }
  if (append) append_();
}

std::optional<KeyCandidates> KeyFollower::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (const KeyCandidates* candidates = fold_.find(name)) return *candidates;
  if (absent_.contains(name)) return KeyCandidates{};
  return std::nullopt;
}

KeyCandidates KeyFollower::known(const std::string& name, Deadline deadline) {
  if (auto found = find(name)) return *std::move(found);
  KeyCandidates candidates = current(name, deadline);
  if (!candidates.empty()) return candidates;
  const std::lock_guard lock(mutex_);
  if (absent_.size() >= kAbsentAtMost) absent_.clear();
  absent_.insert(name);
  return {};
}

KeyCandidates KeyFollower::current(const std::string& name, Deadline deadline) {
  wait_until(end_offset(client_, topic_, kKeysPartition, deadline), deadline);
  const std::lock_guard lock(mutex_);
  const KeyCandidates* candidates = fold_.find(name);
  return candidates == nullptr ? KeyCandidates{} : *candidates;
}

void KeyFollower::wait_until(std::int64_t next_offset, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (moved_.wait_until(lock, deadline, [&] { return next_offset_ >= next_offset; })) return;
  read_again_ = true;
  throw LogUnavailable(
      fmt::format("{}: what was written up to offset {} doesn't arrive", topic_, next_offset));
}

}  // namespace annolog::eventstore::kafka
