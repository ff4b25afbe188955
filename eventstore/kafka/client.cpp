#include "eventstore/kafka/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr int kWarning = 4;  // syslog's levels
constexpr int kLongestWaitMs = 3'600'000;
constexpr std::chrono::milliseconds kPassingPause{20};
constexpr int kAskOneBrokerMs = 1000;
constexpr int kMetadataMs = 3000;  // all topics of a large cluster may take a while

const Properties& common() {
  static const Properties properties{
      {"client.id", "annolog"},
      {"log_level", std::to_string(kWarning)},
      {"log.connection.close", "false"},
      {"socket.nagle.disable", "true"},
      {"socket.keepalive.enable", "true"},
      // A broker that is frozen, or can't be heard, takes connections and answers nothing: whoever
      // asks it must soon ask another one.
      {"socket.timeout.ms", "5000"},
      {"socket.connection.setup.timeout.ms", "3000"},
      {"api.version.request.timeout.ms", "3000"},
      {"reconnect.backoff.ms", "50"},
      {"reconnect.backoff.max.ms", "1000"},
      // A broker that comes back, or another one that takes over, is found within a second.
      {"topic.metadata.refresh.fast.interval.ms", "100"},
      // A leader that was frozen for a while goes on to answer as a follower, half a second late,
      // and the library only asks now and then who leads.
      {"topic.metadata.refresh.interval.ms", "5000"},
  };
  return properties;
}

void log_line(const rd_kafka_t* handle, int level, const char* facility, const char* text) {
  const auto* hooks = static_cast<const Hooks*>(rd_kafka_opaque(handle));
  if (hooks == nullptr || !hooks->warn || level > kWarning) return;
  hooks->warn(fmt::format("{}: {}", facility, text));
}

void delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  const auto* hooks = static_cast<const Hooks*>(opaque);
  if (hooks->delivered) hooks->delivered(*message);
}

void rebalance(rd_kafka_t*, rd_kafka_resp_err_t error, rd_kafka_topic_partition_list_t* partitions,
               void* opaque) {
  const auto* hooks = static_cast<const Hooks*>(opaque);
  if (hooks->rebalanced) hooks->rebalanced(error, *partitions);
}

struct Conf {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Conf() = default;
  Conf(const Conf&) = delete;
  Conf& operator=(const Conf&) = delete;
  ~Conf() {
    if (conf != nullptr) rd_kafka_conf_destroy(conf);
  }
  void set(const std::string& name, const std::string& value) const {
    std::array<char, 512> why{};
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK)
      throw LogRefused(fmt::format("Kafka setting {}: {}", name, why.data()));
  }
};

}  // namespace

int ms_until(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLongestWaitMs));
}

Deadline after(std::chrono::milliseconds wait) { return std::chrono::steady_clock::now() + wait; }

Client::Client(rd_kafka_type_t type, const Connection& connection, const Properties& own,
               Hooks hooks)
    : hooks_(std::make_unique<Hooks>(std::move(hooks))) {
  hooks_->warn = connection.warn;
  Conf conf;
  conf.set("bootstrap.servers", connection.bootstrap);
  if (type == RD_KAFKA_PRODUCER) conf.set("retry.backoff.ms", "5");
  for (const Properties* properties : {&common(), &connection.properties, &own})
    for (const auto& [name, value] : *properties) conf.set(name, value);
  rd_kafka_conf_set_opaque(conf.conf, hooks_.get());
  rd_kafka_conf_set_log_cb(conf.conf, log_line);
  if (hooks_->delivered) rd_kafka_conf_set_dr_msg_cb(conf.conf, delivery);
  if (hooks_->rebalanced) rd_kafka_conf_set_rebalance_cb(conf.conf, rebalance);
  std::array<char, 512> why{};
  handle_ = rd_kafka_new(type, conf.conf, why.data(), why.size());
  if (handle_ == nullptr) throw LogRefused(fmt::format("Kafka client: {}", why.data()));
  conf.conf = nullptr;  // the client's now
}

Client::~Client() { rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); }

Partitions partition_list(const std::string& topic, const std::vector<PartitionOffset>& at) {
  Partitions list(rd_kafka_topic_partition_list_new(static_cast<int>(at.size())));
  for (const PartitionOffset& each : at)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), each.partition)->offset =
        each.offset;
  return list;
}

Topic known_topic(const Client& client, const std::string& name, Deadline deadline) {
  Topic topic(rd_kafka_topic_new(client.get(), name.c_str(), nullptr));
  ask_metadata(client, topic.get(), deadline);
  return topic;
}

Metadata ask_metadata(const Client& client, rd_kafka_topic_t* topic, Deadline deadline) {
  const rd_kafka_metadata_t* metadata = nullptr;
  const int all = topic == nullptr ? 1 : 0;
  for (;;) {
    // The library asks one broker and no other when that one is silent.
    const int wait_ms = std::clamp(ms_until(deadline), 1, kMetadataMs);
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client.get(), all, topic, &metadata, wait_ms);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return Metadata(metadata);
    if (!is_passing(error) || ms_until(deadline) == 0)
      throw LogUnavailable(
          fmt::format("Kafka: the cluster does not answer: {}", rd_kafka_err2str(error)));
    std::this_thread::sleep_for(kPassingPause);
  }
}

bool is_passing(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
         error == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
}

namespace {

// rd_kafka_query_watermark_offsets() would wait for ever for a cluster that is away.
std::vector<PartitionOffset> listed_offsets(const Client& client, const std::string& topic,
                                            const std::vector<PartitionOffset>& asked,
                                            Deadline deadline) {
  for (;;) {
    const Partitions at = partition_list(topic, asked);
    // A broker that is gone is asked no longer than that, then whoever leads by now.
    const int wait_ms = std::clamp(ms_until(deadline), 1, kAskOneBrokerMs);
    rd_kafka_resp_err_t error = rd_kafka_offsets_for_times(client.get(), at.get(), wait_ms);
    std::int32_t partition = asked.front().partition;
    std::vector<PartitionOffset> found;
    for (int i = 0; i < at->cnt && error == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      const auto& each = at->elems[i];
      error = each.err;
      partition = each.partition;
      found.push_back({partition, each.offset});
    }
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return found;
    if (!is_passing(error) || ms_until(deadline) == 0)
      throw LogUnavailable(
          fmt::format("{} partition {}: {}", topic, partition, rd_kafka_err2str(error)));
    std::this_thread::sleep_for(kPassingPause);
  }
}

}  // namespace

std::int64_t first_offset(const Client& client, const std::string& topic, std::int32_t partition,
                          Deadline deadline) {
  return first_offsets(client, topic, {partition}, deadline).front().offset;
}

std::vector<PartitionOffset> first_offsets(const Client& client, const std::string& topic,
                                           const std::vector<std::int32_t>& partitions,
                                           Deadline deadline) {
  std::vector<PartitionOffset> asked;
  for (const std::int32_t each : partitions) asked.push_back({each, RD_KAFKA_OFFSET_BEGINNING});
  if (asked.empty()) return asked;
  return listed_offsets(client, topic, asked, deadline);
}

std::int64_t end_offset(const Client& client, const std::string& topic, std::int32_t partition,
                        Deadline deadline) {
  return listed_offsets(client, topic, {{partition, RD_KAFKA_OFFSET_END}}, deadline).front().offset;
}

Watermarks watermarks(const Client& client, const std::string& topic, std::int32_t partition,
                      Deadline deadline) {
  const std::int64_t low = first_offset(client, topic, partition, deadline);
  return {low, end_offset(client, topic, partition, deadline)};
}

}  // namespace annolog::eventstore::kafka
