#include "commands/command.hpp"

namespace annolog::commands {
namespace {

template <class C>
std::int64_t routing_id(const C& command) {
  if constexpr (requires { command.task_id; }) {
    return command.task_id.value;
  } else if constexpr (requires { command.dataset_id; }) {
    return command.dataset_id.value;
  } else {
    return command.project_id.value;
  }
}

template <class C>
constexpr bool in_directory = std::is_same_v<C, CreateUser> || std::is_same_v<C, SignInUser> ||
                              std::is_same_v<C, ReserveName> || std::is_same_v<C, ConfirmName> ||
                              std::is_same_v<C, ReleaseName> || std::is_same_v<C, RecordExport>;

}  // namespace

eventstore::ShardId shard_of(std::int64_t id, std::uint16_t shards) {
  // Unsigned, so that an id that never was routes somewhere too, and is not found there.
  return eventstore::ShardId(static_cast<std::uint16_t>(static_cast<std::uint64_t>(id) % shards));
}

eventstore::ShardId shard_of(const Command& command, std::uint16_t shards) {
  return std::visit(
      [&](const auto& c) {
        using C = std::remove_cvref_t<decltype(c)>;
        if constexpr (in_directory<C>) {
          return kDirectory;
        } else if constexpr (std::is_same_v<C, CreateTasks>) {
          return shard_of(c.project_id.value, shards);  // it names the dataset too
        } else {
          return shard_of(routing_id(c), shards);
        }
      },
      command);
}

}  // namespace annolog::commands
