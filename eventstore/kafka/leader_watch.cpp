#include "eventstore/kafka/leader_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::chrono::milliseconds kAnswerTime{1'000};

// What says that nobody was heard; any other answer, also a refusal, is one.
bool is_silence(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT ||
         error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || error == RD_KAFKA_RESP_ERR__RESOLVE;
}

// Broker: a partition that it leads. Empty when no broker says.
std::map<std::int32_t, std::int32_t> leaders_of(const Client& client, const std::string& name) {
  const Topic topic(rd_kafka_topic_new(client.get(), name.c_str(), nullptr));
  std::map<std::int32_t, std::int32_t> leaders;
  try {
    const Metadata metadata = ask_metadata(client, topic.get(), after(kAnswerTime));
    for (int i = 0; i < metadata->topics[0].partition_cnt; ++i) {
      const auto& partition = metadata->topics[0].partitions[i];
      if (partition.leader >= 0) leaders.emplace(partition.leader, partition.id);
    }
  } catch (const LogUnavailable&) {  // asked again at the next look
  }
  return leaders;
}

}  // namespace

void Silence::note(const std::map<std::int32_t, bool>& answers, Deadline now) {
  if (answers.empty()) return;
  std::erase_if(since_, [&](const auto& each) { return !answers.contains(each.first); });
  for (const auto& [broker, answered] : answers) {
    if (answered) {
      since_.erase(broker);
    } else {
      since_.try_emplace(broker, now);
    }
  }
}

int Silence::count(Deadline now) const {
  return static_cast<int>(std::ranges::count_if(
      since_, [&](const auto& each) { return now - each.second >= patience_; }));
}

LeaderWatch::LeaderWatch(LeaderWatchOptions options)
    : options_(std::move(options)),
      client_(RD_KAFKA_CONSUMER, options_.connection, {}),
      silence_(options_.patience) {
  thread_ = std::thread([this] { run(); });
}

LeaderWatch::~LeaderWatch() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void LeaderWatch::run() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, options_.pause, [this] { return stopping_.load(); })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void LeaderWatch::look() {
  std::map<std::int32_t, bool> answers;
  for (const auto& [broker, partition] : leaders_of(client_, options_.topic)) {
    if (stopping_) return;
    answers[broker] = this->answers(partition);
  }
  const auto now = std::chrono::steady_clock::now();
  silence_.note(answers, now);
  const int silent = silence_.count(now);
  if (silent > silent_ && options_.connection.warn)
    options_.connection.warn(fmt::format(
        "{}: {} of the brokers that lead its partitions do not answer", options_.topic, silent));
  silent_ = silent;
}

bool LeaderWatch::answers(std::int32_t partition) const {
  const Partitions asked = partition_list(options_.topic, {{partition, RD_KAFKA_OFFSET_END}});
  const auto error = rd_kafka_offsets_for_times(client_.get(), asked.get(), kAnswerTime.count());
  return !is_silence(error) && !is_silence(asked->elems[0].err);
}

}  // namespace annolog::eventstore::kafka
