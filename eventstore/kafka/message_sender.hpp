// Sends single messages outside of transactions, in the order of each partition, and tells what
// became of each. Any thread may send; the reports come on the sender's own thread.
//
// When the library can't tell any more which messages a broker has (a fatal error of its idempotent
// producer), what is on its way is reported as unknown, and another producer takes over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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
  // The producer of now; what it is asked for behind the sender's back is the caller's affair.
  std::shared_ptr<Client> client() const;

 private:
  std::shared_ptr<Client> make_client() const;
  void run();
  void replace();
  void on_delivery(const rd_kafka_message_t& message) const;

  const Connection connection_;
  const std::chrono::milliseconds timeout_;
  const OnReport report_;
  mutable std::mutex mutex_;
  std::shared_ptr<Client> client_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::eventstore::kafka
