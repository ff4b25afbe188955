// Sends single messages outside of transactions, in the order of each partition, and tells what
// became of each. Any thread may send; the reports come on the sender's own thread, or on that of
// stop().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/message.hpp"

namespace annolog::eventstore::kafka {

enum class Sent {
  yes,        // acknowledged by a majority; or, from send(): on its way
  too_large,  // not sent
  full,       // not sent: too much is on its way
  no,         // not sent, or surely not taken
  unknown,    // the cluster may have it
};

class MessageSender {
 public:
  using OnReport = std::function<void(std::uint64_t number, Sent sent, const std::string& why)>;

  // After `timeout` without an acknowledgement a message is given up.
  MessageSender(const Connection& connection, std::chrono::milliseconds timeout, OnReport report);
  ~MessageSender() { stop(); }
  MessageSender(const MessageSender&) = delete;
  MessageSender& operator=(const MessageSender&) = delete;

  // Throws LogUnavailable when the topic can't be learnt about.
  void start(const std::string& topic, Deadline deadline);
  void stop();

  // Returns at once; a report follows when it says yes. `why` is filled otherwise.
  Sent send(Message message, std::uint64_t number, std::string& why);

 private:
  void on_delivery(const rd_kafka_message_t& message) const;

  const OnReport report_;
  Client client_;
  Topic topic_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
