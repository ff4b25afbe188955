// Steps of what goes on beside requests: commands of the service itself.
#pragma once

#include <future>

#include "commands/bus.hpp"
#include "platform/clock.hpp"

namespace annolog::commands {

// The bus always answers, at the latest when it stops or the step's time (30 s) is over. Any
// thread.
std::future<Outcome> send_step(CommandBus& bus, const platform::Clock& clock, Command command);

}  // namespace annolog::commands
