// Commands as JSON, on their way to another process. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "commands/command.hpp"

namespace annolog::commands {

const std::string& command_name(const Command& command);
std::string to_json(const Command& command);
// Throws codec::CodecError for an unknown name or a body that does not fit: another version of the
// program wrote it.
Command command_from_json(std::string_view name, std::string_view text);

}  // namespace annolog::commands
