#include "commands/send_step.hpp"

#include <memory>
#include <utility>

namespace annolog::commands {

std::future<Outcome> send_step(CommandBus& bus, const platform::Clock& clock, Command command) {
  constexpr std::int64_t kStepDeadlineMs = 30'000;
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto outcome = promise->get_future();
  Envelope envelope;
  envelope.command = std::move(command);
  envelope.actor = kSystemUser;
  envelope.role = Role::super_admin;
  envelope.deadline_ms = clock.monotonic_ms() + kStepDeadlineMs;
  envelope.done = [promise](Outcome result) { promise->set_value(std::move(result)); };
  bus.send(std::move(envelope));
  return outcome;
}

}  // namespace annolog::commands
