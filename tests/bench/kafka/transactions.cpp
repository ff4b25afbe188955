// How fast a plain transactional producer is, as the library's documentation has it used.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "eventstore/kafka/produce.hpp"
#include "eventstore/kafka/topics.hpp"
#include "tests/bench/kafka/options.hpp"
#include "tests/bench/payload.hpp"

namespace annolog::bench {
namespace {

namespace kafka = eventstore::kafka;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTopicWait{60};
constexpr int kWaitMs = 60'000;

double since_us(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void require(const kafka::Error& error) {
  if (error) throw std::runtime_error(rd_kafka_error_string(error.get()));
}

void transaction(const kafka::Client& producer, const std::string& topic, const std::string& value,
                 std::uint64_t batch) {
  require(kafka::Error(rd_kafka_begin_transaction(producer.get())));
  for (std::uint64_t i = 0; i < batch; ++i) {
    kafka::Message message{topic, 0, "", value};
    require(kafka::produce(producer, message, 0));
  }
  require(kafka::Error(rd_kafka_commit_transaction(producer.get(), kWaitMs)));
}

}  // namespace

void bare_transactions(const KafkaOptions& options) {
  const kafka::Connection connection{options.bootstrap};
  const kafka::TopicNames names(options.prefix);
  const kafka::Client producer(
      RD_KAFKA_PRODUCER, connection,
      {{"transactional.id", options.prefix + ".bare"}, {"linger.ms", "0"}});
  kafka::ensure_topics(producer, names, {1, 0}, kafka::after(kTopicWait));
  require(kafka::Error(rd_kafka_init_transactions(producer.get(), kWaitMs)));
  const std::string value = payload(options.bytes);
  transaction(producer, names.events, value, 1);  // the first one meets the cluster's coordinators
  std::vector<double> took_us;
  const auto began = Clock::now();
  while (since_us(began) < options.seconds * 1e6) {
    const auto start = Clock::now();
    transaction(producer, names.events, value, options.batch);
    took_us.push_back(since_us(start));
  }
  const double seconds = since_us(began) / 1e6;
  const double count = static_cast<double>(took_us.size());
  std::sort(took_us.begin(), took_us.end());
  std::puts(nlohmann::json{{"transactions_per_s", count / seconds},
                           {"events_per_s", count * static_cast<double>(options.batch) / seconds},
                           {"p50_us", took_us.at(took_us.size() / 2)},
                           {"p99_us", took_us.at(took_us.size() * 99 / 100)}}
                .dump()
                .c_str());
}

}  // namespace annolog::bench
