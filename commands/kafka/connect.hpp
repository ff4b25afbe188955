// Joins the two halves of a node: what its callers wish is given to its own writers when they own
// the shard, instead of going through the topic, and what they decide is answered without a reply.
#pragma once

#include "commands/kafka/kafka_bus.hpp"
#include "commands/kafka/kafka_runtime.hpp"

namespace annolog::commands {

// Before either starts; both must live until both have stopped.
void connect(KafkaBus& bus, KafkaRuntime& runtime);

}  // namespace annolog::commands
