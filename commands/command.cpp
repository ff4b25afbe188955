#include "commands/command.hpp"

namespace annolog::commands {

Command::Command() = default;
Command::Command(const Command&) = default;
Command::Command(Command&&) noexcept = default;
Command& Command::operator=(const Command&) = default;
Command& Command::operator=(Command&&) noexcept = default;
Command::~Command() = default;

namespace {

template <class C>
std::int64_t routing_id(const C& command) {
  if constexpr (requires { command.webhook_id; }) {
    return command.webhook_id.value;
  } else if constexpr (requires { command.task_id; }) {
    return command.task_id.value;
  } else if constexpr (requires { command.job_id; }) {
    return command.job_id.value;
  } else if constexpr (requires { command.dataset_id; }) {
    return command.dataset_id.value;
  } else {
    return command.project_id.value;
  }
}

template <class C, class... Ts>
constexpr bool is_one_of = (std::is_same_v<C, Ts> || ...);

template <class C>
constexpr bool in_directory =
    is_one_of<C, CreateUser, RenameUser, ChangeUserRole, DeactivateUser, ActivateUser,
              ChangeUserGroup, ChangePreferences, ResetPassword, UnlinkOidc, RecordUserExport,
              EraseUser, SignIn, SignInByOidc, SignOutEverywhere, ChangePassword, RefreshSession,
              EndSession, CreateApiKey, RevokeApiKey, NoteApiKeyUse, CreateGroup, UpdateGroup,
              DeleteGroup, Invite, ResendInvitation, RevokeInvitation, AcceptInvitation,
              ReserveName, ConfirmName, ReleaseName, FreeName, RecordExport, ReadNotifications,
              ReadAllNotifications, StartAuditArchive>;

// They name a dataset, too.
template <class C>
constexpr bool in_project_of_dataset =
    is_one_of<C, CreateTasks, MeasureTasks, CheckLinkAllowed, UnlinkDataset, RemoveDatasetTasks,
              FinishUnlinking, ReadUnlinking>;

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
        } else if constexpr (is_one_of<C, ForgetLinks, ExpireLocks, RecordRequest, PurgeJobs>) {
          return eventstore::ShardId(static_cast<std::uint16_t>(c.shard % shards));
        } else if constexpr (in_project_of_dataset<C>) {
          return shard_of(c.project_id.value, shards);
        } else {
          return shard_of(routing_id(c), shards);
        }
      },
      command);
}

}  // namespace annolog::commands
