#include "eventstore/kafka/topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <thread>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int32_t kUsualReplication = 3;
constexpr const char* kHourMs = "3600000";
constexpr const char* kDayMsText = "86400000";
constexpr std::chrono::milliseconds kTopicPause{50};
// A broker that falls silent is asked no longer than that, then another one. Hundreds of partitions
// take a while to be made; a second try finds them there.
constexpr std::chrono::milliseconds kCreateTime{10'000};
constexpr std::chrono::milliseconds kTopicTime{3'000};

using Event = std::unique_ptr<rd_kafka_event_t, Destroy<&rd_kafka_event_destroy>>;
using AdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroy<&rd_kafka_AdminOptions_destroy>>;
using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, Destroy<&rd_kafka_NewTopic_destroy>>;
using ConfigResource =
    std::unique_ptr<rd_kafka_ConfigResource_t, Destroy<&rd_kafka_ConfigResource_destroy>>;

[[noreturn]] void unavailable(const std::string& what, rd_kafka_resp_err_t error) {
  throw LogUnavailable(fmt::format("Kafka: {}: {}", what, rd_kafka_err2str(error)));
}

const rd_kafka_metadata_topic_t* find_topic(const rd_kafka_metadata_t& metadata,
                                            const std::string& name) {
  for (int i = 0; i < metadata.topic_cnt; ++i)
    if (name == metadata.topics[i].topic) return &metadata.topics[i];
  return nullptr;
}

AdminOptions admin_options(const Client& client, rd_kafka_admin_op_t operation, Deadline deadline) {
  AdminOptions options(rd_kafka_AdminOptions_new(client.get(), operation));
  std::array<char, 256> why{};
  const int wait_ms = std::max(1, ms_until(deadline));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), wait_ms, why.data(), why.size());
  if (operation == RD_KAFKA_ADMIN_OP_CREATETOPICS)
    rd_kafka_AdminOptions_set_operation_timeout(options.get(), wait_ms, why.data(), why.size());
  return options;
}

// None: the broker that was asked was silent or is not the one, and there is time for another try.
Event answer(const Queue& queue, Deadline one_try, Deadline deadline, const char* what) {
  // The request ends by its own timeout; a moment more for its answer to arrive.
  Event event(rd_kafka_queue_poll(queue.get(), ms_until(one_try) + 1000));
  const rd_kafka_resp_err_t error =
      event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT;
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return event;
  if (!is_passing(error) || ms_until(deadline) == 0) unavailable(what, error);
  return nullptr;
}

void require_set(rd_kafka_resp_err_t error, const TopicConfig& config) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) unavailable(config.name, error);
}

// The library asks the controller of the newest metadata, which may be the one that is silent.
void before_another_try(const Client& client, Deadline deadline) {
  std::this_thread::sleep_for(kTopicPause);
  ask_metadata(client, nullptr, deadline);
}

// False: not all of the brokers are there yet, or the one that was asked does not answer.
bool create_once(const Client& client, std::vector<rd_kafka_NewTopic_t*>& topics,
                 bool wait_for_brokers, Deadline deadline) {
  const Queue queue(rd_kafka_queue_new(client.get()));
  const Deadline one_try = std::min(after(kCreateTime), deadline);
  const AdminOptions options = admin_options(client, RD_KAFKA_ADMIN_OP_CREATETOPICS, one_try);
  rd_kafka_CreateTopics(client.get(), topics.data(), topics.size(), options.get(), queue.get());
  const Event event = answer(queue, one_try, deadline, "creating topics");
  if (!event) return false;
  std::size_t count = 0;
  const auto* results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(results[i]);
    // Another node may have been first.
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
      continue;
    if (error == RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR && wait_for_brokers) return false;
    const char* text = rd_kafka_topic_result_error_string(results[i]);
    throw LogRefused(fmt::format("topic {} can't be created: {}",
                                 rd_kafka_topic_result_name(results[i]),
                                 text != nullptr ? text : rd_kafka_err2str(error)));
  }
  return true;
}

void create(const Client& client, const std::vector<TopicPlan>& plans, std::int32_t replication,
            std::chrono::milliseconds brokers_time, Deadline deadline) {
  std::vector<NewTopic> topics;
  std::vector<rd_kafka_NewTopic_t*> pointers;
  for (const TopicPlan& plan : plans) {
    std::array<char, 256> why{};
    topics.emplace_back(rd_kafka_NewTopic_new(plan.name.c_str(), plan.partitions, replication,
                                              why.data(), why.size()));
    if (topics.back() == nullptr)
      throw LogRefused(fmt::format("topic {}: {}", plan.name, why.data()));
    for (const TopicConfig& config : plan.configs)
      require_set(rd_kafka_NewTopic_set_config(topics.back().get(), config.name.c_str(),
                                               config.value.c_str()),
                  config);
    pointers.push_back(topics.back().get());
  }
  const Deadline brokers_by = after(brokers_time);
  while (!create_once(client, pointers, ms_until(brokers_by) > 0, deadline))
    before_another_try(client, deadline);
}

// Partitions with a leader each: until then nothing can be read or written.
bool is_ready(const rd_kafka_metadata_t& metadata, const TopicPlan& plan) {
  const auto* topic = find_topic(metadata, plan.name);
  if (topic == nullptr || topic->partition_cnt == 0) return false;
  return std::all_of(topic->partitions, topic->partitions + topic->partition_cnt,
                     [](const auto& partition) { return partition.leader >= 0; });
}

Metadata await_ready(const Client& client, const std::vector<TopicPlan>& plans, Deadline deadline) {
  for (;;) {
    Metadata metadata = ask_metadata(client, nullptr, deadline);
    const bool ready = std::all_of(plans.begin(), plans.end(),
                                   [&](const auto& plan) { return is_ready(*metadata, plan); });
    if (ready) return metadata;
    if (ms_until(deadline) == 0) throw LogUnavailable("Kafka: a topic has no leader yet");
    std::this_thread::sleep_for(kTopicPause);
  }
}

void check_partitions(const rd_kafka_metadata_t& metadata, const TopicPlan& plan,
                      std::int32_t replication_asked) {
  const auto* topic = find_topic(metadata, plan.name);
  if (topic->partition_cnt != plan.partitions)
    throw LogRefused(
        fmt::format("topic {} was created with {} shards, {} were asked for: the "
                    "number of partitions is fixed for the life of a log",
                    plan.name, topic->partition_cnt, plan.partitions));
  const std::int32_t replicas = topic->partitions[0].replica_cnt;
  if (replication_asked > 0 && replicas < replication_asked)
    throw LogRefused(fmt::format("topic {} has {} replicas, {} were asked for", plan.name, replicas,
                                 replication_asked));
}

bool holds(const TopicConfig& wanted, const std::string& actual) {
  constexpr const char* kUnlimited = "-1";
  if (actual == wanted.value) return true;
  if (wanted.rule == Rule::equal) return false;
  if (actual == kUnlimited) return true;
  const auto number = [](const std::string& text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  return number(actual) >= number(wanted.value);
}

void check_config(const rd_kafka_ConfigResource_t& resource, const TopicPlan& plan) {
  std::size_t count = 0;
  const auto* entries = rd_kafka_ConfigResource_configs(&resource, &count);
  for (const TopicConfig& wanted : plan.configs) {
    const auto* found = std::find_if(entries, entries + count, [&](const auto* entry) {
      return wanted.name == rd_kafka_ConfigEntry_name(entry);
    });
    if (found == entries + count) continue;  // a broker that hides it
    const char* value = rd_kafka_ConfigEntry_value(*found);
    const std::string actual = value != nullptr ? value : "";
    if (holds(wanted, actual)) continue;
    throw LogRefused(fmt::format("topic {}: {} is {}, it must be {}{}", plan.name, wanted.name,
                                 actual, wanted.rule == Rule::at_least ? "at least " : "",
                                 wanted.value));
  }
}

// What is acknowledged lies on most of a topic's brokers.
TopicConfig majority_of(std::int32_t replicas) {
  return {"min.insync.replicas", std::to_string(replicas / 2 + 1), Rule::at_least};
}

// False: a broker that was asked doesn't know a topic yet, or doesn't answer.
bool check_configs_once(const Client& client, const std::vector<TopicPlan>& plans,
                        Deadline deadline) {
  std::vector<ConfigResource> resources;
  std::vector<rd_kafka_ConfigResource_t*> pointers;
  for (const TopicPlan& plan : plans) {
    resources.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, plan.name.c_str()));
    pointers.push_back(resources.back().get());
  }
  const Queue queue(rd_kafka_queue_new(client.get()));
  const Deadline one_try = std::min(after(kTopicTime), deadline);
  const AdminOptions options = admin_options(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, one_try);
  rd_kafka_DescribeConfigs(client.get(), pointers.data(), pointers.size(), options.get(),
                           queue.get());
  const Event event = answer(queue, one_try, deadline, "reading the topics' settings");
  if (!event) return false;
  std::size_t count = 0;
  const auto* results = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(results[i]);
    if (is_passing(error) && ms_until(deadline) > 0) return false;
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
      unavailable(rd_kafka_ConfigResource_name(results[i]), error);
    const std::string name = rd_kafka_ConfigResource_name(results[i]);
    const auto plan =
        std::find_if(plans.begin(), plans.end(), [&](const auto& p) { return p.name == name; });
    if (plan != plans.end()) check_config(*results[i], *plan);
  }
  return true;
}

void check_configs(const Client& client, const std::vector<TopicPlan>& plans, Deadline deadline) {
  while (!check_configs_once(client, plans, deadline)) before_another_try(client, deadline);
}

}  // namespace

TopicNames::TopicNames(const std::string& prefix)
    : log(prefix + ".log"),
      events(prefix + ".events"),
      commands(prefix + ".commands"),
      replies(prefix + ".replies"),
      realtime(prefix + ".realtime"),
      subject_keys(prefix + ".subject-keys") {}

std::vector<TopicPlan> topic_plans(const TopicNames& names, std::uint16_t shards) {
  const TopicConfig large{"max.message.bytes", std::to_string(kMaxMessageBytes), Rule::at_least};
  const TopicConfig forgets{"cleanup.policy", "delete"};
  const TopicConfig newest_only{"cleanup.policy", "compact"};
  const std::vector<TopicConfig> for_ever{
      {"retention.ms", "-1"}, {"retention.bytes", "-1"}, forgets, large};
  return {
      {names.log, 1, {newest_only}},
      {names.events, shards, for_ever},
      {names.commands, shards, {{"retention.ms", kDayMsText, Rule::at_least}, forgets, large}},
      {names.replies, shards, {{"retention.ms", kHourMs, Rule::at_least}, forgets, large}},
      {names.realtime, shards, {{"retention.ms", kHourMs, Rule::at_least}, forgets, large}},
      // What is erased is gone from the disk within two hours, not only for readers.
      {names.subject_keys,
       1,
       {newest_only,
        {"max.compaction.lag.ms", kHourMs},
        {"segment.ms", kHourMs},
        {"min.cleanable.dirty.ratio", "0.01"},
        {"delete.retention.ms", kDayMsText}}},
  };
}

void ensure_topics(const Client& client, const TopicNames& names, const TopicOptions& options,
                   Deadline deadline) {
  std::vector<TopicPlan> plans = topic_plans(names, options.shards);
  const Metadata before = ask_metadata(client, nullptr, deadline);
  std::vector<TopicPlan> missing;
  std::copy_if(plans.begin(), plans.end(), std::back_inserter(missing),
               [&](const auto& plan) { return find_topic(*before, plan.name) == nullptr; });
  if (!missing.empty()) {
    const std::int32_t replication = options.replication > 0
                                         ? options.replication
                                         : std::min(kUsualReplication, before->broker_cnt);
    for (TopicPlan& plan : missing) plan.configs.push_back(majority_of(replication));
    create(client, missing, replication, options.brokers_time, deadline);
  }
  const Metadata now = await_ready(client, plans, deadline);
  for (TopicPlan& plan : plans) {
    check_partitions(*now, plan, options.replication);
    // Of the copies that there are: the cluster may have grown since.
    plan.configs.push_back(majority_of(find_topic(*now, plan.name)->partitions[0].replica_cnt));
  }
  check_configs(client, plans, deadline);
}

bool has_topic(const Client& client, const std::string& name, Deadline deadline) {
  return find_topic(*ask_metadata(client, nullptr, deadline), name) != nullptr;
}

void require_topics(const Client& client, const TopicNames& names, Deadline deadline) {
  const Metadata metadata = ask_metadata(client, nullptr, deadline);
  for (const std::string& name : {names.log, names.events})
    if (find_topic(*metadata, name) == nullptr)
      throw LogRefused(fmt::format("there is no topic {} in the cluster", name));
}

}  // namespace annolog::eventstore::kafka
