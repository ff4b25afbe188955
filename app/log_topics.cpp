#include "app/log_topics.hpp"

#include "eventstore/kafka/topics.hpp"

namespace annolog::app {

api::LogTopics log_topics(const std::string& prefix) {
  const eventstore::kafka::TopicNames names(prefix);
  return {.events = names.events,
          .commands = names.commands,
          .replies = names.replies,
          .realtime = names.realtime,
          .subject_keys = names.subject_keys,
          .max_message_bytes = eventstore::kafka::kMaxMessageBytes};
}

}  // namespace annolog::app
