#include "commands/kafka/connect.hpp"

#include <utility>

namespace annolog::commands {

void connect(KafkaBus& bus, KafkaRuntime& runtime) {
  bus.offer_to([&runtime](ReceivedCommand& command) { return runtime.take_here(command); });
  runtime.answer_with(
      {.decided = [&bus](const std::string& command_id,
                         Outcome outcome) { bus.complete(command_id, std::move(outcome)); },
       .send_on = [&bus](const ReceivedCommand& command) { bus.send_on(command); },
       .unknown = [&bus](const std::string& command_id) { bus.give_up(command_id); }});
}

}  // namespace annolog::commands
