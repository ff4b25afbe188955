// What everything that speaks to Kafka shares: where the cluster is, handles that free themselves,
// errors as exceptions. A Client may be used by any thread unless its user says otherwise.
// Source: librdkafka 2.0, INTRODUCTION.md.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annolog::eventstore::kafka {

using Deadline = std::chrono::steady_clock::time_point;
// What is left until then, 0 .. one hour, for a blocking call of librdkafka.
int ms_until(Deadline deadline);
Deadline after(std::chrono::milliseconds wait);

// Of a message with its headers: topics, brokers and producers are set to it.
inline constexpr std::int32_t kMaxMessageBytes = 64 << 20;

using Properties = std::map<std::string, std::string>;

struct Connection {
  std::string bootstrap;       // host:port, several with commas
  Properties properties = {};  // librdkafka's names; e.g. security.protocol, sasl.username
  // Warnings and errors of the client library, one line each; from any thread. Empty: dropped.
  std::function<void(std::string_view line)> warn = {};
};

// What the library calls back; set before the client is made.
struct Hooks {
  std::function<void(std::string_view line)> warn;
  // From poll().
  std::function<void(const rd_kafka_message_t& message)> delivered;
  std::function<void(rd_kafka_resp_err_t error, rd_kafka_topic_partition_list_t& partitions)>
      rebalanced;
};

class Client {
 public:
  // Throws LogRefused when a property is not known or not allowed.
  Client(rd_kafka_type_t type, const Connection& connection, const Properties& own,
         Hooks hooks = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_t* get() const { return handle_; }

 private:
  std::unique_ptr<Hooks> hooks_;
  rd_kafka_t* handle_;
};

// Deleters of the library's own objects.
template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using Error = std::unique_ptr<rd_kafka_error_t, Destroy<&rd_kafka_error_destroy>>;
using Partitions = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                   Destroy<&rd_kafka_topic_partition_list_destroy>>;
using KafkaMessage = std::unique_ptr<rd_kafka_message_t, Destroy<&rd_kafka_message_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroy<&rd_kafka_queue_destroy>>;
using Metadata = std::unique_ptr<const rd_kafka_metadata_t, Destroy<&rd_kafka_metadata_destroy>>;
using GroupMetadata = std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                                      Destroy<&rd_kafka_consumer_group_metadata_destroy>>;

struct PartitionOffset {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};
Partitions partition_list(const std::string& topic, const std::vector<PartitionOffset>& at);

// A topic that the client has learnt about: its first message needn't wait for the library's next
// look at the cluster, once a second. Throws LogUnavailable.
using Topic = std::unique_ptr<rd_kafka_topic_t, Destroy<&rd_kafka_topic_destroy>>;
Topic known_topic(const Client& client, const std::string& name, Deadline deadline);

// The cluster's brokers, and that topic or, without one, all. Throws LogUnavailable.
Metadata ask_metadata(const Client& client, rd_kafka_topic_t* topic, Deadline deadline);

// Errors that pass by themselves: the cluster is away, a partition is new, or its leader moves.
bool is_passing(rd_kafka_resp_err_t error);

// The first offset of a partition, and the next one, as this client sees them: with isolation.level
// read_committed the next one is the last stable offset, otherwise the high watermark.
// Throws LogUnavailable; what passes is waited out, never for longer than until the deadline.
std::int64_t first_offset(const Client& client, const std::string& topic, std::int32_t partition,
                          Deadline deadline);
std::int64_t end_offset(const Client& client, const std::string& topic, std::int32_t partition,
                        Deadline deadline);
// Of several, in their order: asked together, since each question may wait in line behind the
// library's own wait for news.
std::vector<PartitionOffset> first_offsets(const Client& client, const std::string& topic,
                                           const std::vector<std::int32_t>& partitions,
                                           Deadline deadline);
struct Watermarks {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Watermarks watermarks(const Client& client, const std::string& topic, std::int32_t partition,
                      Deadline deadline);

}  // namespace annolog::eventstore::kafka
