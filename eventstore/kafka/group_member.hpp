// A member of a consumer group: which shards are this process's to work on, and the messages of
// their partitions. Kafka moves shards between members; the callbacks run on the member's own
// thread and hold up the move until they return. While a shard is this member's, its messages come
// in their order, each once. metadata(), committed() and waiting() from any thread.
// Source: KIP-429 (cooperative rebalancing), KIP-447.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/kafka/client.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

struct GroupOptions {
  Connection connection;
  std::string group;
  std::string topic;
  std::chrono::milliseconds session_timeout{6'000};  // without a sign of life: its shards move
  bool reads = true;                                 // false: only who owns what, no messages
};

struct GroupHandlers {
  std::function<void(std::span<const ShardId>)> assigned;
  // `lost`: the group has already given them to others. Afterwards nothing may be done for them.
  std::function<void(std::span<const ShardId>, bool lost)> revoked;
  std::function<void(KafkaMessage)> message = {};
  // Asked between messages: true as long as there is no room for more.
  std::function<bool()> full = {};
  // Asked between messages: true as long as this process can't do the work of its shards. It leaves
  // them to the other members while there are any.
  std::function<bool()> disabled = {};
};

class GroupMember {
 public:
  GroupMember(GroupOptions options, GroupHandlers handlers);
  ~GroupMember();
  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;

  void start();
  // Leaves the group, so that others take over at once.
  void stop();
  // It has left its shards to others, or is about to, and comes back by itself.
  bool is_away() const { return away_; }

  // Of now: a transaction with it fails once the group has moved on. Null while the group does not
  // know this process.
  GroupMetadata metadata() const;
  // The next offsets to read of these shards as the group knows them, none of them waiting for a
  // transaction to end. Throws LogUnavailable.
  std::vector<PartitionOffset> committed(std::span<const ShardId> shards, Deadline deadline) const;
  // Messages that lie in this member's partitions and were not handed over yet, as far as it knows.
  std::int64_t waiting() const;

 private:
  void run();
  void subscribe();
  void heed_disability();
  bool others_are_there() const;
  void on_rebalance(rd_kafka_resp_err_t error, rd_kafka_topic_partition_list_t& partitions);
  void begin(rd_kafka_topic_partition_list_t& partitions);
  void take(KafkaMessage message);
  void find_lost_places();
  void go_on(const std::set<std::int32_t>& partitions);
  std::vector<PartitionOffset> places_of(const std::set<std::int32_t>& partitions) const;
  void heed_fullness();

  const GroupOptions options_;
  const GroupHandlers handlers_;
  Client client_;
  bool paused_ = false;
  std::map<std::int32_t, std::int64_t> next_;  // offsets, since the shard came
  std::set<std::int32_t> lost_;                // where it is not known what comes next
  Deadline look_again_{};                      // whether it should be away
  std::atomic<bool> away_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
