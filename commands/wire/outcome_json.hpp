// Outcomes as JSON, on their way back to the process that asked. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "commands/reply.hpp"

namespace annolog::commands {

std::string to_json(const Outcome& outcome);
// Throws codec::CodecError for what another version of the program wrote.
Outcome outcome_from_json(std::string_view text);

}  // namespace annolog::commands
