#include "commands/wire/command_json.hpp"

#include <unordered_map>

#include "commands/wire/names.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::commands {
namespace {

using CommandNames = WireNames<AnyCommand>;
using ReadCommand = Command (*)(std::string_view text);

template <class C>
Command read_command(std::string_view text) {
  return codec::from_json_text<C>(text);
}

template <class... Cs>
std::unordered_map<std::string, ReadCommand> make_command_readers(const std::variant<Cs...>*) {
  return {{wire_name<Cs>(), &read_command<Cs>}...};
}

}  // namespace

const std::string& command_name(const Command& command) {
  return CommandNames::all()[command.index()];
}

std::string to_json(const Command& command) {
  return std::visit([](const auto& c) { return codec::to_json_text(c); }, command);
}

Command command_from_json(std::string_view name, std::string_view text) {
  static const auto readers = make_command_readers(static_cast<const Command*>(nullptr));
  const auto found = readers.find(std::string(name));
  if (found == readers.end())
    throw codec::CodecError("name", "no command is called " + std::string(name));
  return found->second(text);
}

}  // namespace annolog::commands
