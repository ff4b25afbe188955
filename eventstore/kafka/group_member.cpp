#include "eventstore/kafka/group_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/group_members.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kMemberPollMs = 100;
constexpr std::chrono::milliseconds kPlaceTime{2'000};
constexpr std::chrono::milliseconds kLongestHandling{60'000};
constexpr std::chrono::milliseconds kLookPause{5'000};
constexpr std::chrono::milliseconds kMemberTime{2'000};
constexpr std::chrono::milliseconds kHeartbeat{300};

// Members hear of a move with their next heartbeat, and a move takes three of them.
std::chrono::milliseconds heartbeat(const GroupOptions& options) {
  return std::min(kHeartbeat, options.session_timeout / 4);
}

Properties member_settings(const GroupOptions& options) {
  return {{"group.id", options.group},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          // A broker that was frozen and still believes to lead says that what came since is out of
          // range: from the beginning all commands would come once more.
          {"auto.offset.reset", "error"},
          // Offsets that wait for a transaction's end are waited for (OffsetFetch, require stable).
          {"isolation.level", "read_committed"},
          {"partition.assignment.strategy", "cooperative-sticky"},
          {"session.timeout.ms", std::to_string(options.session_timeout.count())},
          {"heartbeat.interval.ms", std::to_string(heartbeat(options).count())},
          {"max.poll.interval.ms", std::to_string(kLongestHandling.count())},
          {"fetch.wait.max.ms", "500"},
          {"fetch.error.backoff.ms", "50"},
          {"receive.message.max.bytes", std::to_string(2 * kMaxMessageBytes)},
          {"queued.max.messages.kbytes", "4096"}};
}

std::vector<ShardId> shards_of(const rd_kafka_topic_partition_list_t& partitions) {
  std::vector<ShardId> shards;
  for (int i = 0; i < partitions.cnt; ++i)
    shards.emplace_back(static_cast<std::uint16_t>(partitions.elems[i].partition));
  return shards;
}

Partitions list_of(const std::string& topic, std::span<const ShardId> shards) {
  std::vector<PartitionOffset> at;
  for (const ShardId shard : shards) at.push_back({shard.value, RD_KAFKA_OFFSET_INVALID});
  return partition_list(topic, at);
}

}  // namespace

GroupMember::GroupMember(GroupOptions options, GroupHandlers handlers)
    : options_(std::move(options)),
      handlers_(std::move(handlers)),
      client_(RD_KAFKA_CONSUMER, options_.connection, member_settings(options_),
              {.warn = {},
               .delivered = {},
               .rebalanced = [this](rd_kafka_resp_err_t error,
                                    rd_kafka_topic_partition_list_t& partitions) {
                 on_rebalance(error, partitions);
               }}) {
  rd_kafka_poll_set_consumer(client_.get());
}

GroupMember::~GroupMember() { stop(); }

void GroupMember::start() {
  subscribe();
  thread_ = std::thread([this] { run(); });
}

void GroupMember::subscribe() {
  const Partitions topics = partition_list(options_.topic, {{RD_KAFKA_PARTITION_UA, 0}});
  const auto error = rd_kafka_subscribe(client_.get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    throw LogUnavailable(fmt::format("group {}: {}", options_.group, rd_kafka_err2str(error)));
}

void GroupMember::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void GroupMember::run() {
  while (!stopping_) {
    KafkaMessage message(rd_kafka_consumer_poll(client_.get(), kMemberPollMs));
    if (message != nullptr) {
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        take(std::move(message));
      } else if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
        lost_.insert(message->partition);
        continue;  // those of other partitions first
      } else if (options_.connection.warn) {
        options_.connection.warn(
            fmt::format("group {}: {}", options_.group, rd_kafka_message_errstr(message.get())));
      }
    }
    find_lost_places();
    heed_fullness();
    heed_disability();
  }
  rd_kafka_consumer_close(client_.get());  // revokes, in this thread
}

void GroupMember::take(KafkaMessage message) {
  if (lost_.contains(message->partition)) return;
  std::int64_t& next = next_[message->partition];
  if (message->offset < next) return;
  next = message->offset + 1;
  if (handlers_.message) handlers_.message(std::move(message));
}

void GroupMember::find_lost_places() {
  if (lost_.empty()) return;
  const auto lost = std::exchange(lost_, {});
  if (!options_.reads) return;
  try {
    go_on(lost);
  } catch (const LogUnavailable& error) {
    if (options_.connection.warn) options_.connection.warn(error.what());
    lost_.insert(lost.begin(), lost.end());
  }
}

// The message that comes next; of a shard that has just come, where the group stands.
std::vector<PartitionOffset> GroupMember::places_of(
    const std::set<std::int32_t>& partitions) const {
  if (partitions.empty()) return {};
  const Deadline deadline = after(kPlaceTime);
  std::vector<ShardId> shards;
  for (const std::int32_t each : partitions) shards.emplace_back(static_cast<std::uint16_t>(each));
  std::vector<PartitionOffset> places = committed(shards, deadline);
  // What is older was removed: its time was over.
  const auto oldest =
      first_offsets(client_, options_.topic, {partitions.begin(), partitions.end()}, deadline);
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto& [partition, place] = places[i];
    const auto next = next_.find(partition);
    place = std::max({place, next == next_.end() ? 0 : next->second, oldest[i].offset});
  }
  return places;
}

void GroupMember::go_on(const std::set<std::int32_t>& partitions) {
  const Partitions list = partition_list(options_.topic, places_of(partitions));
  const Error not_left(rd_kafka_incremental_unassign(client_.get(), list.get()));
  const Error not_begun(rd_kafka_incremental_assign(client_.get(), list.get()));
  if (not_begun)
    throw LogUnavailable(
        fmt::format("group {}: {}", options_.group, rd_kafka_error_string(not_begun.get())));
  if (paused_) {
    rd_kafka_pause_partitions(client_.get(), list.get());
  } else {
    rd_kafka_resume_partitions(client_.get(), list.get());
  }
}

void GroupMember::heed_fullness() {
  const bool full = handlers_.full && handlers_.full();
  if (full == paused_) return;
  rd_kafka_topic_partition_list_t* raw = nullptr;
  if (rd_kafka_assignment(client_.get(), &raw) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const Partitions assigned(raw);
  if (full) {
    rd_kafka_pause_partitions(client_.get(), assigned.get());
  } else {
    rd_kafka_resume_partitions(client_.get(), assigned.get());
  }
  paused_ = full;
}

// Members that are all disabled leave one after another, and the last one stays; when two leave at
// the same time, one is soon back.
void GroupMember::heed_disability() {
  const bool disabled = handlers_.disabled && handlers_.disabled();
  if (disabled ? ms_until(look_again_) > 0 : !away_) return;
  std::random_device random;
  look_again_ = after(std::chrono::milliseconds(
      std::uniform_int_distribution(kLookPause.count(), 2 * kLookPause.count())(random)));
  try {
    const bool away = disabled && others_are_there();
    if (away == away_) return;
    if (!away) subscribe();
    away_ = away;
    if (away) rd_kafka_unsubscribe(client_.get());
    if (options_.connection.warn)
      options_.connection.warn(fmt::format("group {}: {}", options_.group,
                                           away ? "leaving its work to others" : "coming back"));
  } catch (const LogUnavailable& error) {
    if (options_.connection.warn) options_.connection.warn(error.what());
  }
}

bool GroupMember::others_are_there() const {
  const auto members = members_of(client_, options_.group, after(kMemberTime));
  const std::string me = own_id(client_);
  const auto others = std::ranges::count_if(members, [&](const auto& id) { return id != me; });
  if (!me.empty() && std::cmp_equal(others, members.size()))
    throw LogUnavailable(fmt::format("group {}: does not know its member", options_.group));
  return others > 0;
}

void GroupMember::on_rebalance(rd_kafka_resp_err_t error,
                               rd_kafka_topic_partition_list_t& partitions) {
  const std::vector<ShardId> shards = shards_of(partitions);
  for (const ShardId shard : shards) {
    next_.erase(shard.value);
    lost_.erase(shard.value);
  }
  if (error == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    handlers_.assigned(shards);
    return begin(partitions);
  }
  handlers_.revoked(shards, rd_kafka_assignment_lost(client_.get()) != 0);
  const Error failed(rd_kafka_incremental_unassign(client_.get(), &partitions));
}

// The library (2.0) is never left to ask where the group stands: when a broker answers that it does
// not coordinate the group, or not yet, it does not ask again, and nothing is ever read of these
// partitions nor of those that come later (librdkafka issue 5586).
void GroupMember::begin(rd_kafka_topic_partition_list_t& partitions) {
  std::set<std::int32_t> all;
  std::vector<PartitionOffset> places;
  for (int i = 0; i < partitions.cnt; ++i) {
    all.insert(partitions.elems[i].partition);
    places.push_back({partitions.elems[i].partition, 0});
  }
  bool reads = options_.reads;
  try {
    if (reads) places = places_of(all);
  } catch (const LogUnavailable& error) {
    if (options_.connection.warn) options_.connection.warn(error.what());
    lost_.merge(all);
    reads = false;
  }
  const Partitions list = partition_list(options_.topic, places);
  const Error failed(rd_kafka_incremental_assign(client_.get(), list.get()));
  if (failed && options_.connection.warn)
    options_.connection.warn(
        fmt::format("group {}: {}", options_.group, rd_kafka_error_string(failed.get())));
  if (!reads || paused_) rd_kafka_pause_partitions(client_.get(), list.get());
}

// Without a member's id and generation a broker takes it for the word of somebody who needs no
// group, and checks nothing: a client that was expelled has neither, until its user is told. One
// that is known afterwards was known before, or its shards have been given away meanwhile.
GroupMetadata GroupMember::metadata() const {
  GroupMetadata metadata(rd_kafka_consumer_group_metadata(client_.get()));
  if (own_id(client_).empty()) return nullptr;
  return metadata;
}

std::vector<PartitionOffset> GroupMember::committed(std::span<const ShardId> shards,
                                                    Deadline deadline) const {
  const Partitions list = list_of(options_.topic, shards);
  const auto error = rd_kafka_committed(client_.get(), list.get(), std::max(1, ms_until(deadline)));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    throw LogUnavailable(fmt::format("group {}: {}", options_.group, rd_kafka_err2str(error)));
  std::vector<PartitionOffset> offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const auto& each = list->elems[i];
    if (each.err != RD_KAFKA_RESP_ERR_NO_ERROR)
      throw LogUnavailable(fmt::format("group {}: {}", options_.group, rd_kafka_err2str(each.err)));
    offsets.push_back({each.partition, std::max<std::int64_t>(0, each.offset)});
  }
  return offsets;
}

std::int64_t GroupMember::waiting() const {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  if (rd_kafka_assignment(client_.get(), &raw) != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
  const Partitions assigned(raw);
  if (rd_kafka_position(client_.get(), assigned.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
  std::int64_t waiting = 0;
  for (int i = 0; i < assigned->cnt; ++i) {
    const auto& at = assigned->elems[i];
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (at.offset < 0 || rd_kafka_get_watermark_offsets(client_.get(), at.topic, at.partition, &low,
                                                        &high) != RD_KAFKA_RESP_ERR_NO_ERROR)
      continue;
    waiting += std::max<std::int64_t>(0, high - at.offset);
  }
  return waiting;
}

}  // namespace annolog::eventstore::kafka
