// Hands a message to a producer. Any thread.
#pragma once

#include <cstdint>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/message.hpp"

namespace annolog::eventstore::kafka {

// Returns at once; the delivery report names `number` again. An error: the message was not taken,
// RD_KAFKA_RESP_ERR__QUEUE_FULL when it may be tried again.
Error produce(const Client& client, Message& message, std::uint64_t number);
std::uint64_t produced_number(const rd_kafka_message_t& message);

}  // namespace annolog::eventstore::kafka
