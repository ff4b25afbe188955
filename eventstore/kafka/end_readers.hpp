// Two readers of a topic that together tell where it ends: of all messages, and of committed ones.
// Whoever asks now and then keeps them: a client of librdkafka (2.0.2) that is destroyed soon after
// it was made may meet its own question for the brokers and end the process (its issue 3608). One
// thread.
#pragma once

#include <string>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

struct EndReaders {
  // Throws LogUnavailable when the topic can't be looked up until then.
  EndReaders(const Connection& connection, const std::string& topic, Deadline deadline)
      : all(connection, topic, options(Isolation::uncommitted, deadline)),
        committed(connection, topic, options(Isolation::committed, deadline)) {}

  TopicReader all, committed;

 private:
  static ReaderOptions options(Isolation isolation, Deadline deadline) {
    ReaderOptions options;
    options.isolation = isolation;
    options.look_up_time = std::chrono::milliseconds(ms_until(deadline));
    return options;
  }
};

}  // namespace annolog::eventstore::kafka
